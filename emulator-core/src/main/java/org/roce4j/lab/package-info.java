/**
 * A virtual network whose time stands still until it is stepped. A scenario is a list of actions.
 * The same list gives the same packets, so a step back plays the list without its last action.
 */
package org.roce4j.lab;
