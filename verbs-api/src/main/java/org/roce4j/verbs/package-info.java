package org.roce4j.verbs;
