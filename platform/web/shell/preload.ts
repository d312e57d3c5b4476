// Exports the code that nearly every screen uses in overlays, scrolling or lists. It is fetched
// while the user reads the first screen, so that it is loaded when the next screen opens. One icon
// is enough to load the chunk of all icons that several screens use. This code has its own size
// budget (.size-limit.js).
export { toUnicodeDomain } from '#platform/domain-display.ts';
export { Combobox, FocusTrap, Popover, ScrollArea, Select, Tooltip } from '@mantine/core';
export { IconTrash } from '@tabler/icons-react';
