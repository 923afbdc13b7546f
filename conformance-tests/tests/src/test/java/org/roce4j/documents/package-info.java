/** What the documents say holds: commands are run, copies compared, messages looked up. */
package org.roce4j.documents;
