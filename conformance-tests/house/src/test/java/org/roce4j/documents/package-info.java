/** Tests of the documents: commands are run, copies compared, messages looked up. */
package org.roce4j.documents;
