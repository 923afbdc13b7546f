/** Reports as self-contained pages: style and script are in the page, nothing is fetched. */
package org.roce4j.tools.report;
