/* LiteX's liblitedram includes it and uses nothing of it. */
