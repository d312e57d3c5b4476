// Components that nearly every screen uses in overlays or scrolling: fetched while the first screen
// is read, so that they are loaded when the next one opens. They have their own size budget
// (.size-limit.js).
export { Combobox, FocusTrap, Popover, ScrollArea, Select, Tooltip } from '@mantine/core';
