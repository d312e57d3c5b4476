// Ways to put a form on a site, each copied with a click: the script tag with the placeholder, the
// hosted page, the WordPress shortcode, plain HTML, and calls for developers; and a preview on a
// page.
import { Alert, Button, Group, TextInput } from '@mantine/core';
import { IconCircleCheck, IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '#platform/web/session/session.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { withScheme } from '#platform/web/validators.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { FormDocument } from '#embed/forms/shared/document.ts';
import type { Form } from '../contract.ts';
import { renderPlainForm } from '../plain-form.ts';
import classes from './view-screen.module.css';

export function OnSite({ form }: { form: Form }) {
  const t = useTexts('forms');
  const { embed_hash: hash } = form.settings;
  const embedHtml = `<div class="sender-form-field" data-sender-form-id="${hash}"></div>`;
  return (
    <section className={classes.panel} aria-labelledby="on-site">
      <h2 id="on-site" className={classes.title}>
        {t('site.title')}
      </h2>
      {!form.is_active && (
        <Alert color="gray" my="sm">
          {t('site.off')}
        </Alert>
      )}
      <Code label={t('site.script')} description={t('site.scriptNote')} value={form.embed_script} />
      <TagSeen sites={form.sites} />
      {form.type === 'embed' && (
        <Code label={t('site.place')} description={t('site.placeNote')} value={embedHtml} />
      )}
      <PagePreview previewKey={form.preview_key} />
      <Code label={t('site.hosted')} description={t('site.hostedNote')} value={form.hosted_url} />
      <Code
        label={t('site.wordpress')}
        description={t('site.wordpressNote')}
        value={`[sender-form id="${hash}"]`}
      />
      <Code
        label={t('site.plain')}
        description={t('site.plainNote')}
        value={renderPlainForm({
          document: form.document as FormDocument,
          action: form.hosted_url,
          version: form.published_version ?? 1,
          interests: form.groups.filter(({ id }) => !form.mandatory_tags.includes(id)),
        })}
      />
      <ForDevelopers form={form} />
    </section>
  );
}

/** Lists the sites that have loaded the tag, as a sign that it works there. */
function TagSeen({ sites }: Pick<Form, 'sites'>) {
  const t = useTexts('forms');
  const { relative } = useFormats();
  if (sites.length === 0)
    return (
      <p className={classes.muted} role="status">
        {t('site.notSeen')}
      </p>
    );
  return (
    <div role="status">
      <ul className={classes.seen}>
        {sites.map(({ host, seen }) => (
          <li key={host}>
            <IconCircleCheck size={18} stroke={1.75} aria-hidden="true" />
            {t('site.seen', { host, when: relative(seen) })}
          </li>
        ))}
      </ul>
    </div>
  );
}

const SCHEME = 'https://';

/** A link to a page of the owner's site that shows the draft. */
function PagePreview({ previewKey }: { previewKey: string }) {
  const t = useTexts('forms');
  const { account } = useSession();
  const [page, setPage] = useState(account.website ?? '');
  const [isChecked, setChecked] = useState(false);
  const url = URL.parse(withScheme(page.trim()));
  const isUsable = url !== null && /^https?:$/.test(url.protocol);
  url?.searchParams.set('sendloom_preview', previewKey);
  return (
    <>
      <p>
        <strong>{t('site.preview')}</strong>
        <br />
        <span className={classes.muted}>{t('site.previewNote')}</span>
      </p>
      <Group gap="xs" align="start" wrap="nowrap">
        <TextInput
          flex={1}
          type="url"
          dir="ltr"
          placeholder={SCHEME}
          aria-label={t('site.previewPage')}
          value={page}
          error={isChecked && !isUsable ? t('site.previewInvalid') : undefined}
          onChange={(event) => setPage(event.currentTarget.value)}
        />
        <Button
          component="a"
          variant="default"
          target="_blank"
          rel="noopener"
          href={isUsable ? url.href : undefined}
          role={isUsable ? undefined : 'button'}
          tabIndex={0}
          onClick={() => setChecked(true)}
          rightSection={<IconExternalLink size={18} stroke={1.75} />}
        >
          {t('site.previewOpen')}
        </Button>
      </Group>
    </>
  );
}

/** Examples of the forms' JavaScript API, which docs/guide/forms-on-sites.md describes in full. */
function ForDevelopers({ form }: { form: Form }) {
  const t = useTexts('forms');
  const { embed_hash: hash } = form.settings;
  const calls = [
    ['render', `senderForms.render('${hash}')`],
    ['enable', `senderForms.enable('${hash}')`],
    ['destroy', `senderForms.destroy('${hash}')`],
    ['status', `senderForms.getStatus('${hash}')`],
    ['ready', "addEventListener('onSenderFormsLoaded', () => {})"],
    ['told', "addEventListener('sendloom', ({ detail }) => {})"],
    ['explicit', form.embed_script.replace('.js"', '.js?explicit=true"')],
    ['ask', form.embed_script.replace('<script', '<script data-consent="ask"')],
    ['given', 'senderForms.consent(true)'],
  ] as const;
  return (
    <details className={classes.developers}>
      <summary>{t('site.developers')}</summary>
      <p className={classes.muted}>{t('site.developersNote')}</p>
      <dl>
        {calls.map(([name, code]) => (
          <div key={name}>
            <dt dir="ltr">
              <code>{code}</code>
            </dt>
            <dd>{t(`site.calls.${name}`)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Code({
  label,
  description,
  value,
}: {
  label: string;
  description: string;
  value: string;
}) {
  const t = useTexts('forms');
  return (
    <>
      <p>
        <strong>{label}</strong>
        <br />
        <span className={classes.muted}>{description}</span>
      </p>
      <div className={classes.code} dir="ltr">
        <pre tabIndex={0} aria-label={label}>
          {value}
        </pre>
        <span className={classes.copy}>
          <CopyButton value={value} label={t('site.copy', { what: label })} />
        </span>
      </div>
    </>
  );
}
