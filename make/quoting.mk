# A word of the shell that stands for a text, whatever it has in it.
shell_word = '$(subst ','\'',$(1))'
