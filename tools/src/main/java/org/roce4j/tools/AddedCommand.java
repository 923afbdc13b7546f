package org.roce4j.tools;

import java.util.concurrent.Callable;

/** A picocli command that another module adds to {@code roce4j}, found as a service. */
public interface AddedCommand extends Callable<Integer> {}
