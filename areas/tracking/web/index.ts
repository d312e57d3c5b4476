// Exports of the tracking area: components for reports of any message.
export { LinksTable } from './links-table.tsx';
