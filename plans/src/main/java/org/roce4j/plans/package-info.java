/** Beside the data's way: rules of fault plans, read from YAML and JSON files. */
package org.roce4j.plans;
