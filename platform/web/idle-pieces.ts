// Pieces that nearly every screen floats or scrolls with: fetched while the first screen is being read, so
// that they are there when the next one opens. Their budget is their own (.size-limit.js).
export { Combobox, FocusTrap, Popover, ScrollArea, Select, Tooltip } from '@mantine/core';
