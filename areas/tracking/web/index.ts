// Web interface of tracking: components for reports of any message.
export { LinksTable } from './links-table.tsx';
