// Components that nearly every screen uses in overlays, scrolling or lists: fetched while the user
// reads the first screen, so that they are loaded when the next one opens. One icon is enough to
// load the chunk of all icons that several screens use. These components have their own size budget
// (.size-limit.js).
export { toUnicodeDomain } from '#platform/domain-display.ts';
export { Combobox, FocusTrap, Popover, ScrollArea, Select, Tooltip } from '@mantine/core';
export { IconTrash } from '@tabler/icons-react';
