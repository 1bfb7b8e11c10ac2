/** The query {@code neardup}: exact doc_q inside the shards. */
package org.neardup.query;
