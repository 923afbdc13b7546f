/** A program of modules: it requires the verbs API, and finds its backend as a service. */
module com.example.rdma {
  requires org.roce4j.verbs;
}
