/* Included by LiteX's generated csr.h. The units and the core's data cache are
 * coherent, so there is nothing to flush and this file has nothing to declare. */
