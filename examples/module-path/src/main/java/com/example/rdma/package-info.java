/**
 * A program on the module path: it requires the verbs API and finds device and port as services.
 */
package com.example.rdma;
