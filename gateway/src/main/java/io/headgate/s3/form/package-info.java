/** Browser forms: their multipart bodies, and the policies that say what a form may upload. */
@NullMarked
package io.headgate.s3.form;

import org.jspecify.annotations.NullMarked;
