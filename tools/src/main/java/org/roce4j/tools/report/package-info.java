/** Reports as pages of their own: style and script stand in the page, nothing is fetched. */
package org.roce4j.tools.report;
