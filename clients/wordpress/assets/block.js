/* The block of a Sendloom form in the editor: a choice of the account's forms. */
(function (blocks, blockEditor, components, element, i18n) {
  const el = element.createElement;
  blocks.registerBlockType('sendloom/form', {
    apiVersion: 2,
    title: i18n.__('Sendloom form', 'sendloom'),
    category: 'widgets',
    icon: 'email',
    attributes: { form: { type: 'string', default: '' } },
    edit: function (props) {
      const forms = window.sendloomForms || [];
      const options = [{ value: '', label: i18n.__('Choose a form', 'sendloom') }].concat(forms);
      return el(
        'div',
        blockEditor.useBlockProps(),
        el(
          components.Placeholder,
          {
            icon: 'email',
            label: i18n.__('Sendloom form', 'sendloom'),
            instructions: forms.length
              ? ''
              : i18n.__(
                  'Connect this site under Settings, Sendloom, and publish a form.',
                  'sendloom',
                ),
          },
          el(components.SelectControl, {
            label: i18n.__('Form', 'sendloom'),
            value: props.attributes.form,
            options: options,
            onChange: function (form) {
              props.setAttributes({ form: form });
            },
          }),
        ),
      );
    },
    save: function () {
      return null;
    },
  });
})(
  window.wp.blocks,
  window.wp.blockEditor,
  window.wp.components,
  window.wp.element,
  window.wp.i18n,
);
