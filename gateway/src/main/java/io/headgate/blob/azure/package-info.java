/** Accounts on Azure Blob Storage, through Microsoft's SDK. May import {@code domain} and {@code blob}. */
@NullMarked
package io.headgate.blob.azure;

import org.jspecify.annotations.NullMarked;
