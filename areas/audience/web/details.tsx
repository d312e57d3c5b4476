// A subscriber's built-in columns and custom fields, each edited inline.
import { useQuery } from '@tanstack/react-query';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SubscriberDetails } from '../contract.ts';
import { OWN_FIELDS } from '../shared.ts';
import { EditableValue } from './editable-value.tsx';
import { api, LIST_PATH } from './queries.ts';
import classes from './subscriber-screen.module.css';

export function Details({ subscriber }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const fields = useQuery(queryAllFields()).data?.data ?? [];
  const save = (fieldId: string) => async (value: string) => {
    const params = { id: subscriber.id, fieldId };
    if (value === '') {
      await api('DELETE /client-api/api/subscribers/{id}/fields/{fieldId}', { params });
    } else {
      await api('PATCH /client-api/api/subscribers/{id}/fields/{fieldId}', {
        params,
        body: { value },
      });
    }
    await invalidate(LIST_PATH);
  };
  return (
    <section className={classes.panel} aria-labelledby="details">
      <h2 className={classes.heading} id="details">
        {t('one.details')}
      </h2>
      <dl className={classes.rows}>
        {OWN_FIELDS.map((name) => (
          <EditableValue
            key={name}
            label={t(`fields.${name}`)}
            type={name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text'}
            value={subscriber[name] ?? ''}
            save={save(name)}
          />
        ))}
        {fields.map((field) => (
          <EditableValue
            key={field.id}
            label={field.title}
            type={field.type}
            value={String(subscriber.columns.find((column) => column.id === field.id)?.value ?? '')}
            save={save(field.id)}
          />
        ))}
      </dl>
    </section>
  );
}
