/* LiteX's liblitedram includes this header but uses nothing of it. */
