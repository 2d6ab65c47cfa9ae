// Written by publishing/write.py: how the server is installed today.

/** The end of a sentence: "Install it …". */
export const HOW_TO_INSTALL = "with `pipx install .` in the folder of Redline's source";
