package org.roce4j.engine;
