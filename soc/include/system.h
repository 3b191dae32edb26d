/* Included by LiteX's generated csr.h. The units and the core's data cache are
 * coherent, so that nothing needs a flush and this file declares nothing. */
