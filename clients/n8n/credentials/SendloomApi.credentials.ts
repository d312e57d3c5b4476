import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

export class SendloomApi implements ICredentialType {
  name = 'sendloomApi';

  displayName = 'Sendloom API';

  icon: Icon = {
    light: 'file:../icons/sendloom.light.svg',
    dark: 'file:../icons/sendloom.dark.svg',
  };

  documentationUrl = 'https://docs.n8n.io/integrations/community-nodes/installation/';

  properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'https://news.shop.example',
      description: 'The address of your Sendloom installation',
    },
    {
      displayName: 'API Access Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: 'Created in Sendloom under Settings → API access tokens',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      url: '/v2/accounts/current',
    },
  };
}
