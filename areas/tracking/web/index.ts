// The door of tracking's screens: what reports of any message show.
export { LinksTable } from './links-table.tsx';
