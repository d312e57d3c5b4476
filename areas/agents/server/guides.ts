// Guides and prompts for assistants, in English like the API.
import { listOperators } from '#areas/segments/conditions.ts';
import { ALL_CONDITION_TYPES } from '#areas/segments/shared.ts';
import { TRIGGERS } from '#areas/workflows/shared.ts';
import { BLOCK_TYPES } from './tools/schemas.ts';

type Guide = { uri: string; name: string; title: string; text: () => string };

export const GUIDES: readonly Guide[] = [
  {
    uri: 'guide://blocks',
    name: 'blocks',
    title: 'Blocks of an email',
    text: () =>
      [
        `Block types: ${BLOCK_TYPES.join(', ')}. A draft lists them from top to bottom.`,
        'heading, text and footer take plain text; a blank line starts a paragraph. HTML is shown as text.',
        'button takes a label in `text` and a link in `url`. image takes a picture of the image library.',
        'A footer with the postal address and the unsubscribe link is added if there is none.',
      ].join('\n'),
  },
  {
    uri: 'guide://conditions',
    name: 'conditions',
    title: 'Conditions of segments',
    text: () =>
      [
        'A condition has a type, an operator and values. Conditions with the same `group` form one parenthesized group.',
        'Dates are YYYY-MM-DD in the time zone of the account. Groups, campaigns, stores and products are IDs.',
        'For text, number, datetime and birthday, `field` is the ID of a custom field; for event and not-event, of a custom event.',
        ...ALL_CONDITION_TYPES.map((type) => `- ${type}: ${listOperators(type).join(', ')}`),
      ].join('\n'),
  },
  {
    uri: 'guide://merge-tags',
    name: 'merge-tags',
    title: 'Merge tags',
    text: () =>
      [
        'Merge tags insert values of the subscriber: {{email}}, {{firstname}}, {{lastname}}, {{phone}}.',
        'Custom fields have the tags that list_groups_and_fields returns. For empty values: {{ firstname | fallback: "there" }}.',
        'Tags with values of the message: {{unsubscribe_link}}, {{browser_preview}}, {{postal_address}}, {{company}}.',
      ].join('\n'),
  },
  {
    uri: 'guide://workflows',
    name: 'workflows',
    title: 'Steps of a workflow',
    text: () =>
      [
        `Triggers: ${TRIGGERS.join(', ')}.`,
        'Steps of draft_workflow: email, delay, add_to_group, end, one after the other. Branches are added on the screen.',
        'A workflow starts only when a person with the right to send has activated it.',
      ].join('\n'),
  },
];

type GuidePrompt = {
  name: string;
  title: string;
  description: string;
  text: (notes: string) => string;
};

export const PROMPTS: readonly GuidePrompt[] = [
  {
    name: 'newsletter_from_notes',
    title: 'Newsletter from notes',
    description: 'Drafts a newsletter from notes',
    text: (notes) =>
      `Draft a newsletter from these notes with draft_campaign. Use short paragraphs, one button, and the merge tag {{firstname}} once. Then run check_campaign and preview_campaign, and show me the result. Do not propose to send it.\n\nNotes:\n${notes}`,
  },
  {
    name: 'win_back',
    title: 'Win back inactive subscribers',
    description: 'Finds inactive subscribers and drafts an email for them',
    text: (notes) =>
      `Count subscribers who have not opened anything for six months (type not_active_subscribers, operator months, value 6). Create a segment of them, draft a win-back email, set the segment as its recipients, and estimate the send. ${notes}`,
  },
  {
    name: 'weekly_report',
    title: 'Weekly report',
    description: 'Summarizes the last seven days',
    text: (notes) =>
      `Summarize the last seven days: account_overview for the period, the reports of campaigns sent in it, and sending_health. Compare with the seven days before. Name figures only from the tools. ${notes}`,
  },
  {
    name: 'missing_email',
    title: 'Missing email',
    description: 'Finds out why a subscriber did not receive a campaign',
    text: (notes) =>
      `A subscriber says that an email is missing. Find the person with find_people, the campaign with list_campaigns, and explain the answer of why_not_received in plain words. ${notes}`,
  },
];
