/**
 * Random steps on a backend and on a simple model beside it; the results must agree. jqwik prints
 * the seed of a failure, replays it and shrinks it.
 */
package org.roce4j.property;
