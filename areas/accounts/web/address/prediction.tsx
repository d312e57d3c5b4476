// A suggested address: its name with the matched text highlighted, and its location.
import type { AddressPrediction } from '../../address-contract.ts';
import classes from './address.module.css';

export function Prediction({ prediction }: { prediction: AddressPrediction }) {
  const { main_text, main_text_matched_substrings, secondary_text } =
    prediction.structured_formatting;
  return (
    <span className={classes.prediction}>
      <bdi>{highlightMatches(main_text, main_text_matched_substrings)}</bdi>
      <bdi className={classes.where}>{secondary_text}</bdi>
    </span>
  );
}

function highlightMatches(text: string, matches: readonly { offset: number; length: number }[]) {
  const nodes = [];
  let position = 0;
  for (const { offset, length } of matches) {
    nodes.push(text.slice(position, offset));
    nodes.push(<b key={offset}>{text.slice(offset, offset + length)}</b>);
    position = offset + length;
  }
  return [...nodes, text.slice(position)];
}
