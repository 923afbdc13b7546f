package org.roce4j.device;

/**
 * Kinds of objects in the order in which closing a context destroys them: referring objects first
 * (verbs-tables 7.1).
 */
enum ObjectKind {
  QUEUE_PAIR("queue pair"),
  SHARED_RECEIVE_QUEUE("shared receive queue"),
  XRC_DOMAIN("XRC domain"),
  COMPLETION_QUEUE("completion queue"),
  COMPLETION_CHANNEL("completion channel"),
  MEMORY_WINDOW("memory window"),
  MEMORY_REGION("memory region"),
  ADDRESS_HANDLE("address handle"),
  PARENT_DOMAIN("parent domain"),
  THREAD_DOMAIN("thread domain"),
  DEVICE_MEMORY("device memory"),
  PROTECTION_DOMAIN("protection domain");

  private final String label;

  ObjectKind(String label) {
    this.label = label;
  }

  /** Its name in messages. */
  String label() {
    return label;
  }
}
