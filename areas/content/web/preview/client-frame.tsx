// The email as Gmail or Outlook would show it, and a list of the features that the client removes,
// each with a link to its source.
import { Anchor, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CLIENT_RULES, type MailClient } from './client-rules.ts';
import { simulateClient } from './client-view.ts';
import { PreviewFrame, type PreviewFrameProps } from './preview-frame.tsx';
import classes from './preview-frame.module.css';

export default function ClientFrame({
  client,
  ...frame
}: PreviewFrameProps & { client: MailClient }) {
  const t = useTexts('content');
  const { html, appliedRules } = useMemo(
    () => simulateClient(frame.html, client),
    [frame.html, client],
  );
  return (
    <>
      <PreviewFrame {...frame} html={html} />
      <div className={classes.stripped} role="status">
        <Text size="sm" fw={600}>
          {t(appliedRules.length === 0 ? 'clients.nothing' : 'clients.stripped', {
            client: t(`clients.${client}`),
          })}
        </Text>
        <ul>
          {appliedRules.map((name) => (
            <li key={name}>
              <Anchor href={CLIENT_RULES[name].source} target="_blank" rel="noreferrer" size="sm">
                {t(`clients.rules.${name}`)}
              </Anchor>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
