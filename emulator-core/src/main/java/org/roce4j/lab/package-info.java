/**
 * Beside the data's way: a virtual network whose time stands still until it is stepped. A scenario
 * is a list of actions; the same list gives the same packets, so a step back is the list without
 * its last action.
 */
package org.roce4j.lab;
