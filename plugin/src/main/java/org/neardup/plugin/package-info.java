/** The Elasticsearch side: the ingest processor {@code neardup}, its options, and the lexicons and salts of a node. */
package org.neardup.plugin;
