/** {@code roce4j devinfo}: devices as {@code ibv_devinfo} prints them. */
package org.roce4j.tools.devinfo;
