// Loaded together, by late-select.tsx.
export { Select } from '@mantine/core';
export { SearchableSelect } from './searchable-select.tsx';
