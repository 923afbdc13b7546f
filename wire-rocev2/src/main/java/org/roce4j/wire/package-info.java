package org.roce4j.wire;
