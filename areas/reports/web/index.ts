// The web door of reports: the chart of a few thin lines.
export { LineChart } from './line-chart.tsx';
