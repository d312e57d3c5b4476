// Ways to put a form on a site: the tag, the placeholder, the hosted page, the shortcode. Each is
// copied with a click.
import { Alert } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { FormDocument } from '#embed/forms/shared/document.ts';
import type { Form } from '../contract.ts';
import { plainForm } from '../plain-form.ts';
import classes from './view-screen.module.css';

export function OnSite({ form }: { form: Form }) {
  const t = useTexts('forms');
  const { embed_hash: hash } = form.settings;
  const place = `<div class="sender-form-field" data-sender-form-id="${hash}"></div>`;
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
      <Code label={t('site.script')} note={t('site.scriptNote')} value={form.embed_script} />
      {form.type === 'embed' && (
        <Code label={t('site.place')} note={t('site.placeNote')} value={place} />
      )}
      <Code label={t('site.hosted')} note={t('site.hostedNote')} value={form.hosted_url} />
      <Code
        label={t('site.wordpress')}
        note={t('site.wordpressNote')}
        value={`[sender-form id="${hash}"]`}
      />
      <Code
        label={t('site.plain')}
        note={t('site.plainNote')}
        value={plainForm({
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

/** The JavaScript API of forms; complete: docs/forms-on-sites.md. */
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

function Code({ label, note, value }: { label: string; note: string; value: string }) {
  const t = useTexts('forms');
  return (
    <>
      <p>
        <strong>{label}</strong>
        <br />
        <span className={classes.muted}>{note}</span>
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
