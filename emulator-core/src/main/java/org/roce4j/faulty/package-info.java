/** In front of the API's door: decorators of any backend's objects, which fail by plan. */
package org.roce4j.faulty;
