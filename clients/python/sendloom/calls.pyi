# Generated from docs/api/v2.json: npm run generate.
from threading import Event
from typing import Any, Dict, List, Literal, Optional, Union, overload
from typing_extensions import NotRequired, TypedDict

_ListWebhooksQuery = TypedDict("_ListWebhooksQuery", {"page": NotRequired[int], "limit": NotRequired[int]})
_ListWebhooksResponseData = TypedDict("_ListWebhooksResponseData", {"id": str, "account_id": str, "url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "group": Union[str, None], "total_deliveries": float, "total_failures": float, "response_time": float, "status": Literal["ACTIVE", "PAUSED", "DISABLED"]})
_ListWebhooksResponseLinks = TypedDict("_ListWebhooksResponseLinks", {"first": Union[str, None], "last": Union[str, None], "prev": Union[str, None], "next": Union[str, None]})
_ListWebhooksResponseMetaLinks = TypedDict("_ListWebhooksResponseMetaLinks", {"url": Union[str, None], "label": str, "active": bool})
_ListWebhooksResponseMeta = TypedDict("_ListWebhooksResponseMeta", {"current_page": float, "from": Union[float, None], "last_page": float, "links": List[_ListWebhooksResponseMetaLinks], "path": str, "per_page": float, "to": Union[float, None], "total": float})
_ListWebhooksResponse = TypedDict("_ListWebhooksResponse", {"data": List[_ListWebhooksResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateWebhookBody = TypedDict("_CreateWebhookBody", {"url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "relation_id": NotRequired[str]})
_CreateWebhookResponse = TypedDict("_CreateWebhookResponse", {"id": str, "account_id": str, "url": str, "topic": Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"], "group": Union[str, None], "total_deliveries": float, "total_failures": float, "response_time": float, "status": Literal["ACTIVE", "PAUSED", "DISABLED"], "success": Literal[True], "message": str, "data": _ListWebhooksResponseData})
_ReadSecretResponseData = TypedDict("_ReadSecretResponseData", {"secret": str, "former_until": Union[str, None]})
_ReadSecretResponse = TypedDict("_ReadSecretResponse", {"data": _ReadSecretResponseData})
_ReadWebhookParams = TypedDict("_ReadWebhookParams", {"id": str})
_UpdateWebhookBody = TypedDict("_UpdateWebhookBody", {"url": NotRequired[str], "topic": NotRequired[Literal["subscribers/new", "subscribers/updated", "subscribers/unsubscribed", "groups/new", "groups/new-subscriber", "groups/unsubscribed", "campaigns/new", "campaigns/sent", "experiments/decided", "deliverability/changed", "bounces/new", "emails/delivered", "emails/opened", "emails/clicked", "emails/bounced", "emails/complained", "sms/delivered", "sms/replied", "forms/submitted", "workflows/finished", "events/new", "approvals/new", "approvals/decided", "comments/new", "audit/new"]], "relation_id": NotRequired[str], "status": NotRequired[Literal["ACTIVE", "PAUSED"]]})
_DeleteWebhookResponse = TypedDict("_DeleteWebhookResponse", {"success": Literal[True], "message": str})
_ListAttemptsResponseData = TypedDict("_ListAttemptsResponseData", {"id": str, "state": Literal["due", "delivered", "failed"], "attempts": float, "status": Union[float, None], "answer": Union[str, None], "next_at": str, "created": str})
_ListAttemptsResponse = TypedDict("_ListAttemptsResponse", {"data": List[_ListAttemptsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ResendBody = TypedDict("_ResendBody", {"from": NotRequired[str], "to": NotRequired[str]})
_ResendResponse = TypedDict("_ResendResponse", {"success": Literal[True], "message": str, "count": float})
_ReadAccountResponseDataActivePlan = TypedDict("_ReadAccountResponseDataActivePlan", {"id": str, "type": Literal["PAID", "FREE", "UNLIMITED"]})
_ReadAccountResponseData = TypedDict("_ReadAccountResponseData", {"id": str, "title": str, "resource_key": str, "active_plan": _ReadAccountResponseDataActivePlan})
_ReadAccountResponse = TypedDict("_ReadAccountResponse", {"data": _ReadAccountResponseData})
_ListCampaignsQuery = TypedDict("_ListCampaignsQuery", {"page": NotRequired[int], "limit": NotRequired[int], "status": NotRequired[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT"]]})
_ListCampaignsResponseDataHtml = TypedDict("_ListCampaignsResponseDataHtml", {"id": Union[str, None], "thumbnail_url": Union[str, None], "has_preview": bool, "has_snapshots": bool, "html_content": Union[str, None]})
_ListCampaignsResponseData = TypedDict("_ListCampaignsResponseData", {"id": str, "subject": str, "reply_to": str, "language": Union[str, None], "recipient_count": float, "from": str, "schedule_time": Union[str, None], "last_action": str, "sent_time": Union[str, None], "status": Literal["DRAFT", "SCHEDULED", "SENDING", "SENT"], "created": str, "modified": str, "title": str, "domain_id": Union[str, None], "preheader": str, "auto_followup_active": Union[Literal[0], Literal[1]], "auto_followup_subject": Union[str, None], "auto_followup_delay": Union[float, None], "send_to_all": Union[Literal[0], Literal[1]], "sent_count": float, "campaign_groups": List[str], "segments": List[str], "ecommerce_tracking_enabled": Union[Literal[0], Literal[1]], "experiment_id": Union[str, None], "opens": float, "clicks": float, "bounces_count": float, "editor": Union[Literal["editor", "html", "text"], None], "html": _ListCampaignsResponseDataHtml})
_ListCampaignsResponse = TypedDict("_ListCampaignsResponse", {"data": List[_ListCampaignsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateCampaignBody = TypedDict("_CreateCampaignBody", {"title": NotRequired[Union[str, None]], "subject": str, "from": str, "preheader": NotRequired[Union[str, None]], "reply_to": str, "content_type": Literal["editor", "html", "text"], "content": NotRequired[Union[str, None]], "google_analytics": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "auto_followup_active": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "auto_followup_subject": NotRequired[Union[str, None]], "auto_followup_delay": NotRequired[Union[Union[float, str], None]], "groups": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]], "segments": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]]})
_CreateCampaignResponse = TypedDict("_CreateCampaignResponse", {"success": Literal[True], "message": str, "data": _ListCampaignsResponseData})
_DeleteCampaignsQuery = TypedDict("_DeleteCampaignsQuery", {"ids": NotRequired[Union[str, List[str]]], "ids[]": NotRequired[Union[str, List[str]]], "status": NotRequired[Union[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT", "PENDING", "PREPARING"], None]], "title": NotRequired[Union[str, None]]})
_DeleteCampaignsBody = TypedDict("_DeleteCampaignsBody", {"ids": NotRequired[Union[str, List[str]]], "status": NotRequired[Union[Literal["DRAFT", "SCHEDULED", "SENDING", "SENT", "PENDING", "PREPARING"], None]], "title": NotRequired[Union[str, None]]})
_ReadCampaignResponse = TypedDict("_ReadCampaignResponse", {"data": _ListCampaignsResponseData})
_ListClicksResponseData = TypedDict("_ListClicksResponseData", {"recipient_id": Union[str, None], "email": Union[str, None], "created_at": str, "link_id": Union[str, None], "url": Union[str, None]})
_ListClicksResponse = TypedDict("_ListClicksResponse", {"data": List[_ListClicksResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ListComplaintsResponseData = TypedDict("_ListComplaintsResponseData", {"recipient_id": Union[str, None], "email": Union[str, None], "created_at": str})
_ListComplaintsResponse = TypedDict("_ListComplaintsResponse", {"data": List[_ListComplaintsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ListErrorsResponse = TypedDict("_ListErrorsResponse", {"errors": List[str], "warnings": List[str]})
_ScheduleCampaignBody = TypedDict("_ScheduleCampaignBody", {"schedule_time": str})
_RecordEventBodySubscriber = TypedDict("_RecordEventBodySubscriber", {"id": NotRequired[str], "email": NotRequired[str], "phone": NotRequired[str]})
_RecordEventBody = TypedDict("_RecordEventBody", {"subscriber": _RecordEventBodySubscriber, "type": str, "value": NotRequired[Union[float, None]], "value_currency": NotRequired[Union[str, None]], "properties": NotRequired[Union[Dict[str, Union[str, float, bool, None]], None]]})
_RecordEventsBody = TypedDict("_RecordEventsBody", {"events": List[Any]})
_RecordEventsResponseData = TypedDict("_RecordEventsResponseData", {"index": float, "success": bool, "error": NotRequired[str], "code": NotRequired[str], "errors": NotRequired[Dict[str, List[str]]]})
_RecordEventsResponse = TypedDict("_RecordEventsResponse", {"success": Literal[True], "message": str, "saved": float, "failed": float, "data": List[_RecordEventsResponseData]})
_ListFieldsResponseData = TypedDict("_ListFieldsResponseData", {"id": str, "title": str, "account_id": str, "user_id": Union[str, None], "created": str, "modified": str, "type": Literal["text", "number", "datetime", "birthday"], "show": float, "field_name": str, "position": float, "default": bool})
_ListFieldsResponse = TypedDict("_ListFieldsResponse", {"data": List[_ListFieldsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateFieldBody = TypedDict("_CreateFieldBody", {"title": str, "type": NotRequired[Literal["text", "number", "datetime", "birthday"]]})
_CreateFieldResponse = TypedDict("_CreateFieldResponse", {"success": Literal[True], "message": str, "data": _ListFieldsResponseData})
_UpdateFieldBody = TypedDict("_UpdateFieldBody", {"title": NotRequired[str], "show": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_ListFormsQuery = TypedDict("_ListFormsQuery", {"page": NotRequired[int], "limit": NotRequired[int], "type": NotRequired[Literal["embed", "popup", "spinToWin"]], "is_active": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_ListFormsResponseDataSettings = TypedDict("_ListFormsResponseDataSettings", {"id": str, "embed_hash": str, "resource_path": str})
_ListFormsResponseData = TypedDict("_ListFormsResponseData", {"id": str, "title": str, "type": Literal["embed", "popup", "spinToWin"], "is_active": bool, "thumbnail_url": Union[str, None], "settings": _ListFormsResponseDataSettings, "created": str, "modified": str})
_ListFormsResponse = TypedDict("_ListFormsResponse", {"data": List[_ListFormsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ReadFormResponse = TypedDict("_ReadFormResponse", {"data": _ListFormsResponseData})
_ListGroupsResponseData = TypedDict("_ListGroupsResponseData", {"id": str, "title": str, "recipient_count": float, "active_subscribers": float, "unsubscribed_count": float, "bounced_count": float, "phone_count": float, "active_phone_count": float, "account_id": str, "user_id": Union[str, None], "created": str, "modified": str, "is_recalculating_subscribers": bool, "is_favourite": bool, "used_in_integration": bool})
_ListGroupsResponse = TypedDict("_ListGroupsResponse", {"data": List[_ListGroupsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateGroupBody = TypedDict("_CreateGroupBody", {"title": str})
_CreateGroupResponse = TypedDict("_CreateGroupResponse", {"success": Literal[True], "message": str, "data": _ListGroupsResponseData})
_ListOfGroupParams = TypedDict("_ListOfGroupParams", {"group": str})
_ListOfGroupResponseDataPhoneCountry = TypedDict("_ListOfGroupResponseDataPhoneCountry", {"phone_code": float, "country_code": str})
_ListOfGroupResponseDataStatus = TypedDict("_ListOfGroupResponseDataStatus", {"email": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "temail": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "sms": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]], "tsms": NotRequired[Literal["active", "bounced", "unsubscribed", "reported", "non-subscribed"]]})
_ListOfGroupResponseDataSubscriberTags = TypedDict("_ListOfGroupResponseDataSubscriberTags", {"id": str, "title": str})
_ListOfGroupResponseDataColumns = TypedDict("_ListOfGroupResponseDataColumns", {"id": str, "title": str, "type": Literal["text", "number", "datetime", "birthday"], "default": bool, "value": Union[str, float]})
_ListOfGroupResponseData = TypedDict("_ListOfGroupResponseData", {"id": str, "email": Union[str, None], "firstname": Union[str, None], "lastname": Union[str, None], "phone": Union[str, None], "phone_country": Union[_ListOfGroupResponseDataPhoneCountry, None], "created": str, "bounced_at": Union[str, None], "unsubscribed_at": Union[str, None], "location": Union[str, None], "ip_address": Union[str, None], "status": _ListOfGroupResponseDataStatus, "subscriber_tags": List[_ListOfGroupResponseDataSubscriberTags], "columns": List[_ListOfGroupResponseDataColumns], "source": str})
_ListOfGroupResponse = TypedDict("_ListOfGroupResponse", {"data": List[_ListOfGroupResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool, "has_more_not_deleted_subscribers": bool})
_GetGroupResponse = TypedDict("_GetGroupResponse", {"success": Literal[True], "data": _ListGroupsResponseData})
_DeleteGroupBody = TypedDict("_DeleteGroupBody", {"delete_subscribers": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_ReadMeResponseData = TypedDict("_ReadMeResponseData", {"id": str, "email": str, "name": Union[str, None], "surname": Union[str, None], "account": _ReadAccountResponseData})
_ReadMeResponse = TypedDict("_ReadMeResponse", {"data": _ReadMeResponseData})
_SendBodyFrom = TypedDict("_SendBodyFrom", {"email": str, "name": str})
_SendBodyReplyTo = TypedDict("_SendBodyReplyTo", {"email": str, "name": NotRequired[Union[str, None]]})
_SendBodyHeaders = TypedDict("_SendBodyHeaders", {"name": str, "value": str})
_SendBody = TypedDict("_SendBody", {"from": _SendBodyFrom, "subject": str, "reply_to": NotRequired[Union[Union[_SendBodyReplyTo, str], None]], "strict_variables": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "to": NotRequired[Union[Union[_SendBodyReplyTo, str], None]], "recipient_email": NotRequired[Union[str, None]], "text": NotRequired[Union[str, None]], "html": NotRequired[Union[str, None]], "headers": NotRequired[Union[Union[Dict[str, str], List[_SendBodyHeaders]], None]], "variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "attachments": NotRequired[Union[Union[List[Any], Dict[str, str]], None]]})
_SendResponse = TypedDict("_SendResponse", {"success": Literal[True], "message": str, "emailId": str})
_PreviewBody = TypedDict("_PreviewBody", {"variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "to": NotRequired[Union[Union[_SendBodyReplyTo, str], None]]})
_PreviewResponseData = TypedDict("_PreviewResponseData", {"subject": str, "html": Union[str, None], "text": str})
_PreviewResponse = TypedDict("_PreviewResponse", {"data": _PreviewResponseData})
_SendTemplateBody = TypedDict("_SendTemplateBody", {"to": NotRequired[Union[Union[_SendBodyReplyTo, str], None]], "recipient_email": NotRequired[Union[str, None]], "text": NotRequired[Union[str, None]], "html": NotRequired[Union[str, None]], "headers": NotRequired[Union[Union[Dict[str, str], List[_SendBodyHeaders]], None]], "variables": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "attachments": NotRequired[Union[Union[List[Any], Dict[str, str]], None]]})
_ListSegmentsResponseDataConditions = TypedDict("_ListSegmentsResponseDataConditions", {"type": Literal["tag", "created", "open", "not-open", "click", "not-click", "email_status", "temail_status", "sms_status", "tsms_status", "firstname", "lastname", "email", "phone", "order_count", "order_amount", "cart_product_count", "not_active_customers", "placed_order", "specific_product", "refunded_order", "checkout_started", "visited_cart", "not_active_subscribers", "unsubscribed_at", "geolocation_eu", "text", "number", "datetime", "birthday", "event", "not-event", "sms-click", "not-sms-click"], "operator": Literal["have", "not-have", "before", "between", "after", "all", "specific", "begins", "includes", "not-include", "ends", "equals", "not-equal", "blank", "not-blank", "less-than", "more-than", "is", "not-is", "in", "not-in", "weeks", "months", "today", "days", "month"], "operand": str, "group": float, "outside_concat": Literal["and", "or"], "inside_concat": Literal["and", "or"], "key": str, "more": List[str]})
_ListSegmentsResponseData = TypedDict("_ListSegmentsResponseData", {"id": str, "account_id": str, "name": str, "conditions": List[_ListSegmentsResponseDataConditions], "subscribers": float, "active_subscribers": float, "phone_count": float, "created": str, "modified": str})
_ListSegmentsResponse = TypedDict("_ListSegmentsResponse", {"data": List[_ListSegmentsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateSegmentBodyConditions = TypedDict("_CreateSegmentBodyConditions", {"type": str, "operator": str, "operand": NotRequired[Union[Union[str, float], List[Union[str, float]], None]], "group": NotRequired[int], "outside_concat": NotRequired[Literal["and", "or"]], "inside_concat": NotRequired[Literal["and", "or"]], "key": NotRequired[Union[str, None]], "more": NotRequired[List[Union[str, float]]]})
_CreateSegmentBody = TypedDict("_CreateSegmentBody", {"name": NotRequired[Union[str, None]], "conditions": Union[List[_CreateSegmentBodyConditions], str]})
_CreateSegmentResponse = TypedDict("_CreateSegmentResponse", {"success": Literal[True], "message": str, "data": _ListSegmentsResponseData})
_CountSegmentBody = TypedDict("_CountSegmentBody", {"conditions": Union[List[_CreateSegmentBodyConditions], str]})
_CountSegmentResponseData = TypedDict("_CountSegmentResponseData", {"subscribers": float, "active_subscribers": float, "phone_count": float})
_CountSegmentResponse = TypedDict("_CountSegmentResponse", {"data": _CountSegmentResponseData})
_GetSegmentResponse = TypedDict("_GetSegmentResponse", {"data": _ListSegmentsResponseData})
_ListOfSegmentParams = TypedDict("_ListOfSegmentParams", {"segment": str})
_SendTextBodyTo = TypedDict("_SendTextBodyTo", {"phone": str, "name": NotRequired[str]})
_SendTextBody = TypedDict("_SendTextBody", {"to": Union[_SendTextBodyTo, str], "from": NotRequired[str], "text": str, "title": NotRequired[str], "variables": NotRequired[Dict[str, Union[str, float, bool]]], "add_organization_name": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]], "append_opt_out": NotRequired[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]]]})
_SendTextResponse = TypedDict("_SendTextResponse", {"success": Literal[True], "message": str, "smsId": str, "reportId": str, "parts": float, "encoding": Literal["GSM-7", "UCS-2"]})
_ReadTextResponseData = TypedDict("_ReadTextResponseData", {"id": str, "reportId": Union[str, None], "to": str, "from": str, "status": Literal["queued", "sent", "delivered", "undelivered", "failed", "skipped", "unknown"], "reason": Union[str, None], "parts": Union[float, None], "created": str, "sent": Union[str, None], "delivered": Union[str, None]})
_ReadTextResponse = TypedDict("_ReadTextResponse", {"data": _ReadTextResponseData})
_ListStoresResponseData = TypedDict("_ListStoresResponseData", {"id": str, "domain": str, "name": str, "type": str, "currency": str, "created": str})
_ListStoresResponse = TypedDict("_ListStoresResponse", {"data": List[_ListStoresResponseData]})
_RegisterStoreBody = TypedDict("_RegisterStoreBody", {"domain": str, "name": NotRequired[Union[str, None]], "type": NotRequired[Union[str, None]]})
_RegisterStoreResponse = TypedDict("_RegisterStoreResponse", {"success": Literal[True], "message": str, "data": _ListStoresResponseData})
_ReadStoreResponse = TypedDict("_ReadStoreResponse", {"data": _ListStoresResponseData})
_DeleteStoreBody = TypedDict("_DeleteStoreBody", {"delete_subscribers": NotRequired[Union[bool, None]]})
_ImportShopDataBody = TypedDict("_ImportShopDataBody", {"customers": NotRequired[Union[List[Any], None]], "products": NotRequired[Union[List[Any], None]], "orders": NotRequired[Union[List[Any], None]]})
_ImportShopDataResponse = TypedDict("_ImportShopDataResponse", {"success": Literal[True], "message": str, "unknown_groups": NotRequired[List[str]], "unknown_fields": NotRequired[List[str]], "unfit_fields": NotRequired[List[str]]})
_CreateSubscriberBody = TypedDict("_CreateSubscriberBody", {"email": NotRequired[Union[str, None]], "firstname": NotRequired[Union[str, None]], "lastname": NotRequired[Union[str, None]], "phone": NotRequired[Union[str, None]], "groups": NotRequired[Union[Union[List[Union[Union[str, float], None]], Dict[str, Union[Union[str, float], None]], str], None]], "fields": NotRequired[Union[Union[List[Any], Dict[str, Any]], None]], "trigger_automation": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]], "subscriber_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]], "sms_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]], "transactional_email_status": NotRequired[Union[Literal["ACTIVE", "UNSUBSCRIBED", "BOUNCED", "SPAM_REPORTED"], None]]})
_CreateSubscriberResponse = TypedDict("_CreateSubscriberResponse", {"success": Literal[True], "message": List[str], "data": _ListOfGroupResponseData})
_ListSubscribersQuery = TypedDict("_ListSubscribersQuery", {"page": NotRequired[int], "limit": NotRequired[int], "email": NotRequired[str]})
_DeleteSubscribersBody = TypedDict("_DeleteSubscribersBody", {"subscribers": Union[List[Union[str, float]], Union[str, float]]})
_DeleteSubscribersResponse = TypedDict("_DeleteSubscribersResponse", {"message": str, "delete_instance": str})
_SaveSubscribersBody = TypedDict("_SaveSubscribersBody", {"subscribers": List[Any]})
_SaveSubscribersResponseData = TypedDict("_SaveSubscribersResponseData", {"index": float, "success": bool, "error": NotRequired[str], "code": NotRequired[str], "errors": NotRequired[Dict[str, List[str]]], "id": NotRequired[str], "created": NotRequired[bool], "notes": NotRequired[List[str]]})
_SaveSubscribersResponse = TypedDict("_SaveSubscribersResponse", {"success": Literal[True], "message": str, "saved": float, "failed": float, "data": List[_SaveSubscribersResponseData]})
_AddToGroupBody = TypedDict("_AddToGroupBody", {"subscribers": Union[List[Union[str, float]], Union[str, float]], "trigger_automation": NotRequired[Union[Union[bool, Literal[0], Literal[1], Literal["0", "1", "true", "false"]], None]]})
_AddToGroupResponse = TypedDict("_AddToGroupResponse", {"success": Literal[True], "message": Dict[str, List[str]]})
_ReactivateBody = TypedDict("_ReactivateBody", {"subscribers": Union[List[Union[str, float]], Union[str, float]], "channel_status": NotRequired[Literal["EMAIL", "TEMAIL", "SMS", "TSMS", "email", "temail", "sms", "tsms"]]})
_ReactivateResponseData = TypedDict("_ReactivateResponseData", {"reactivated": float, "skipped": float})
_ReactivateResponse = TypedDict("_ReactivateResponse", {"success": Literal[True], "message": str, "data": _ReactivateResponseData})
_GetSubscriberParams = TypedDict("_GetSubscriberParams", {"who": str})
_GetSubscriberResponse = TypedDict("_GetSubscriberResponse", {"success": Literal[True], "data": _ListOfGroupResponseData})
_UpdateSubscriberResponse = TypedDict("_UpdateSubscriberResponse", {"success": Literal[True], "message": str, "data": List[Any]})
_ListEventsQuery = TypedDict("_ListEventsQuery", {"actions": NotRequired[Union[str, List[str]]]})
_ListEventsResponse = TypedDict("_ListEventsResponse", {"created_at": str, "title": Union[str, None], "campaign_id": Union[str, None], "url": Union[str, None]})
_SetFieldParams = TypedDict("_SetFieldParams", {"who": str, "field": str})
_SetFieldBody = TypedDict("_SetFieldBody", {"value": Union[Union[str, float, bool], None]})
_ListSuppressionsQuery = TypedDict("_ListSuppressionsQuery", {"page": NotRequired[int], "limit": NotRequired[int], "channel": NotRequired[str], "reason": NotRequired[str], "address": NotRequired[str]})
_ListSuppressionsResponseData = TypedDict("_ListSuppressionsResponseData", {"id": str, "address": Union[str, None], "channel": Literal["email", "temail", "sms", "tsms"], "reason": Literal["bounced", "manual", "unsubscribed", "reported", "erased"], "may_be_removed": bool, "created": str})
_ListSuppressionsResponse = TypedDict("_ListSuppressionsResponse", {"data": List[_ListSuppressionsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_AddSuppressionsBody = TypedDict("_AddSuppressionsBody", {"addresses": Union[List[str], str], "channel": NotRequired[str], "reason": NotRequired[str]})
_AddSuppressionsResponseData = TypedDict("_AddSuppressionsResponseData", {"added": float, "already": float, "invalid": List[str]})
_AddSuppressionsResponse = TypedDict("_AddSuppressionsResponse", {"success": Literal[True], "message": str, "data": _AddSuppressionsResponseData})
_RemoveSuppressionsBody = TypedDict("_RemoveSuppressionsBody", {"addresses": Union[List[str], str], "channel": NotRequired[str]})
_RemoveSuppressionsResponseDataKept = TypedDict("_RemoveSuppressionsResponseDataKept", {"address": str, "reason": Literal["bounced", "manual", "unsubscribed", "reported", "erased"], "message": str})
_RemoveSuppressionsResponseData = TypedDict("_RemoveSuppressionsResponseData", {"removed": List[str], "kept": List[_RemoveSuppressionsResponseDataKept], "not_listed": List[str]})
_RemoveSuppressionsResponse = TypedDict("_RemoveSuppressionsResponse", {"success": Literal[True], "message": str, "data": _RemoveSuppressionsResponseData})
_GetSuppressionParams = TypedDict("_GetSuppressionParams", {"address": str})
_GetSuppressionQuery = TypedDict("_GetSuppressionQuery", {"channel": NotRequired[str]})
_GetSuppressionResponse = TypedDict("_GetSuppressionResponse", {"data": _ListSuppressionsResponseData})
_ListEmailsResponseDataHtml = TypedDict("_ListEmailsResponseDataHtml", {"id": Union[str, None], "thumbnail_url": Union[str, None], "has_preview": bool, "has_snapshots": bool, "styles": None})
_ListEmailsResponseData = TypedDict("_ListEmailsResponseData", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "subject": str, "from": str, "reply_to": str, "preheader": str, "domain_id": Union[str, None], "created": str, "modified": str, "type": Literal["API"], "last_action": str, "editor": Union[Literal["plain", "html", "builder"], None], "html": _ListEmailsResponseDataHtml, "purchaseCount": float})
_ListEmailsResponse = TypedDict("_ListEmailsResponse", {"data": List[_ListEmailsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_CreateEmailBody = TypedDict("_CreateEmailBody", {"title": NotRequired[str], "preheader": NotRequired[str], "subject": str, "from": str, "reply_to": str, "editor": Literal["plain", "html", "builder"], "content": NotRequired[str]})
_CreateEmailResponse = TypedDict("_CreateEmailResponse", {"data": _ListEmailsResponseData})
_UpdateEmailBody = TypedDict("_UpdateEmailBody", {"title": NotRequired[str], "preheader": NotRequired[str], "subject": NotRequired[str], "from": NotRequired[str], "reply_to": NotRequired[str], "editor": NotRequired[Literal["plain", "html", "builder"]], "content": NotRequired[str]})
_ListBouncesResponseData = TypedDict("_ListBouncesResponseData", {"id": str, "email": str, "created_at": str, "url": Union[str, None]})
_ListBouncesResponse = TypedDict("_ListBouncesResponse", {"data": List[_ListBouncesResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ReadReportQuery = TypedDict("_ReadReportQuery", {"from": str, "to": str, "period": Literal["day", "week", "month", "year"]})
_ReadReportResponseDataPeriods = TypedDict("_ReadReportResponseDataPeriods", {"date": str, "sent": float, "opens": float, "clicks": float, "bounces": float, "unsubscribes": float, "spam": float})
_ReadReportResponseData = TypedDict("_ReadReportResponseData", {"sent": float, "opens": float, "clicks": float, "bounces": float, "unsubscribes": float, "spam": float, "periods": List[_ReadReportResponseDataPeriods]})
_ReadReportResponse = TypedDict("_ReadReportResponse", {"data": _ReadReportResponseData})
_UnsubscribeResponseData = TypedDict("_UnsubscribeResponseData", {"unsubscribed": float})
_UnsubscribeResponse = TypedDict("_UnsubscribeResponse", {"success": Literal[True], "message": str, "data": _UnsubscribeResponseData})
_ListWorkflowsQuery = TypedDict("_ListWorkflowsQuery", {"page": NotRequired[int], "limit": NotRequired[int], "status": NotRequired[Literal["DRAFT", "ACTIVE", "PAUSED"]], "title": NotRequired[str]})
_ListWorkflowsResponseDataIndexReport = TypedDict("_ListWorkflowsResponseDataIndexReport", {"sent": float, "opened": float, "clicked": float, "open_rate": float, "click_rate": float})
_ListWorkflowsResponseData = TypedDict("_ListWorkflowsResponseData", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "status": str, "created": str, "modified": str, "emails_sent": float, "type": Literal["automation"], "description": str, "thumbnail": Union[str, None], "workflow_category_id": Union[str, None], "index_report": _ListWorkflowsResponseDataIndexReport})
_ListWorkflowsResponse = TypedDict("_ListWorkflowsResponse", {"data": List[_ListWorkflowsResponseData], "links": _ListWebhooksResponseLinks, "meta": _ListWebhooksResponseMeta, "has_more_resources": bool})
_ReadWorkflowResponseDataReport = TypedDict("_ReadWorkflowResponseDataReport", {"sent": float, "opened": float, "clicked": float, "unsubscribed": float, "bounced": float, "open_rate": float, "click_rate": float, "unsubscribe_rate": float, "bounce_rate": float})
_ReadWorkflowResponseData = TypedDict("_ReadWorkflowResponseData", {"id": str, "user_id": Union[str, None], "account_id": str, "title": str, "status": str, "created": str, "modified": str, "emails_sent": float, "type": Literal["automation"], "description": str, "thumbnail": Union[str, None], "workflow_category_id": Union[str, None], "index_report": _ListWorkflowsResponseDataIndexReport, "report": _ReadWorkflowResponseDataReport})
_ReadWorkflowResponse = TypedDict("_ReadWorkflowResponse", {"data": _ReadWorkflowResponseData})
_AverageReportResponse = TypedDict("_AverageReportResponse", {"success": Literal[True], "data": _ReadWorkflowResponseDataReport})
_StartWorkflowBody = TypedDict("_StartWorkflowBody", {"email": str})
_ListStepsQuery = TypedDict("_ListStepsQuery", {"batch_no": NotRequired[int]})
_ListStepsResponse = TypedDict("_ListStepsResponse", {"id": str, "workflow_id": str, "parent_id": Union[str, None], "type": str, "trigger_type": Union[str, None], "delay_type": Union[str, None], "condition_path": str, "complete": bool, "active_subscribers_count": float, "thumbnail_url": Union[str, None], "trigger_definition": Union[Dict[str, Any], None], "children": List[str]})

class Calls:
    @overload
    def call(self, name: Literal["GET /v2/account/webhooks"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWebhooksResponse:
        "List webhooks"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks"], *, body: Optional[_CreateWebhookBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateWebhookResponse:
        "Create a webhook"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/secret"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadSecretResponse:
        "Get the signing secret"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/secret"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadSecretResponse:
        "Rotate the signing secret"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWebhooksResponseData:
        "Get a webhook"

    @overload
    def call(self, name: Literal["PATCH /v2/account/webhooks/{id}"], *, params: _ReadWebhookParams, body: Optional[_UpdateWebhookBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWebhooksResponseData:
        "Update a webhook"

    @overload
    def call(self, name: Literal["PUT /v2/account/webhooks/{id}"], *, params: _ReadWebhookParams, body: Optional[_UpdateWebhookBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWebhooksResponseData:
        "Update a webhook (PUT alias)"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}"], *, params: _ReadWebhookParams, body: Optional[_UpdateWebhookBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWebhooksResponseData:
        "Update a webhook (POST alias)"

    @overload
    def call(self, name: Literal["DELETE /v2/account/webhooks/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a webhook and its pending deliveries"

    @overload
    def call(self, name: Literal["GET /v2/account/webhooks/{id}/deliveries"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListAttemptsResponse:
        "List deliveries of a webhook"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}/resend"], *, params: _ReadWebhookParams, body: Optional[_ResendBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ResendResponse:
        "Resend deliveries of a webhook"

    @overload
    def call(self, name: Literal["POST /v2/account/webhooks/{id}/test"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Send a sample event to a webhook"

    @overload
    def call(self, name: Literal["GET /v2/accounts/current"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadAccountResponse:
        "Get the token's account"

    @overload
    def call(self, name: Literal["GET /v2/campaigns"], *, query: Optional[_ListCampaignsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListCampaignsResponse:
        "List campaigns"

    @overload
    def call(self, name: Literal["POST /v2/campaigns"], *, body: Optional[_CreateCampaignBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateCampaignResponse:
        "Create a campaign"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns"], *, query: Optional[_DeleteCampaignsQuery] = ..., body: Optional[_DeleteCampaignsBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete several campaigns"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadCampaignResponse:
        "Get a campaign with its content"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/cancel_followup"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Cancel the scheduled resend to non-openers"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/clicks"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListClicksResponse:
        "List clicks of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/complaints"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListComplaintsResponse:
        "List spam complaints of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/copy"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateCampaignResponse:
        "Duplicate a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/errors"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListErrorsResponse:
        "Validate a campaign before sending"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/hard_bounces"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListComplaintsResponse:
        "List hard bounces of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/opens"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListComplaintsResponse:
        "List opens of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/schedule"], *, params: _ReadWebhookParams, body: Optional[_ScheduleCampaignBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Schedule a campaign"

    @overload
    def call(self, name: Literal["DELETE /v2/campaigns/{id}/schedule"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Unschedule or stop a campaign"

    @overload
    def call(self, name: Literal["POST /v2/campaigns/{id}/send"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Send a campaign now"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/soft_bounces"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListComplaintsResponse:
        "List soft bounces of a campaign"

    @overload
    def call(self, name: Literal["GET /v2/campaigns/{id}/unsubscribes"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListComplaintsResponse:
        "List unsubscribes of a campaign"

    @overload
    def call(self, name: Literal["POST /v2/events"], *, body: Optional[_RecordEventBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Add an event to a subscriber"

    @overload
    def call(self, name: Literal["POST /v2/events/batch"], *, body: Optional[_RecordEventsBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _RecordEventsResponse:
        "Add up to 1,000 events"

    @overload
    def call(self, name: Literal["GET /v2/fields"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListFieldsResponse:
        "List custom fields"

    @overload
    def call(self, name: Literal["POST /v2/fields"], *, body: Optional[_CreateFieldBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateFieldResponse:
        "Create a custom field"

    @overload
    def call(self, name: Literal["PATCH /v2/fields/{id}"], *, params: _ReadWebhookParams, body: Optional[_UpdateFieldBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateFieldResponse:
        "Update a custom field"

    @overload
    def call(self, name: Literal["DELETE /v2/fields/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a custom field with its values"

    @overload
    def call(self, name: Literal["GET /v2/forms"], *, query: Optional[_ListFormsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListFormsResponse:
        "List forms"

    @overload
    def call(self, name: Literal["GET /v2/forms/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadFormResponse:
        "Get a form"

    @overload
    def call(self, name: Literal["GET /v2/groups"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListGroupsResponse:
        "List groups with their counts"

    @overload
    def call(self, name: Literal["POST /v2/groups"], *, body: Optional[_CreateGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateGroupResponse:
        "Create a group"

    @overload
    def call(self, name: Literal["GET /v2/groups/{group}/subscribers"], *, params: _ListOfGroupParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListOfGroupResponse:
        "List subscribers of a group"

    @overload
    def call(self, name: Literal["GET /v2/groups/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _GetGroupResponse:
        "Get a group with its counts"

    @overload
    def call(self, name: Literal["PATCH /v2/groups/{id}"], *, params: _ReadWebhookParams, body: Optional[_CreateGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateGroupResponse:
        "Rename a group"

    @overload
    def call(self, name: Literal["DELETE /v2/groups/{id}"], *, params: _ReadWebhookParams, body: Optional[_DeleteGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a group"

    @overload
    def call(self, name: Literal["GET /v2/me"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadMeResponse:
        "Get the token's user"

    @overload
    def call(self, name: Literal["POST /v2/message/send"], *, body: Optional[_SendBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _SendResponse:
        "Send an email without a template"

    @overload
    def call(self, name: Literal["POST /v2/message/{id}/preview"], *, params: _ReadWebhookParams, body: Optional[_PreviewBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _PreviewResponse:
        "Render a template for a recipient"

    @overload
    def call(self, name: Literal["POST /v2/message/{id}/send"], *, params: _ReadWebhookParams, body: Optional[_SendTemplateBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _SendResponse:
        "Send a template to one recipient"

    @overload
    def call(self, name: Literal["GET /v2/segments"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListSegmentsResponse:
        "List segments with their counts"

    @overload
    def call(self, name: Literal["POST /v2/segments"], *, body: Optional[_CreateSegmentBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateSegmentResponse:
        "Create a segment from conditions"

    @overload
    def call(self, name: Literal["POST /v2/segments/count"], *, body: Optional[_CountSegmentBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CountSegmentResponse:
        "Count subscribers who match conditions"

    @overload
    def call(self, name: Literal["GET /v2/segments/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _GetSegmentResponse:
        "Get a segment"

    @overload
    def call(self, name: Literal["DELETE /v2/segments/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a segment"

    @overload
    def call(self, name: Literal["GET /v2/segments/{segment}/subscribers"], *, params: _ListOfSegmentParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListOfGroupResponse:
        "List subscribers in a segment"

    @overload
    def call(self, name: Literal["POST /v2/sms/send"], *, body: Optional[_SendTextBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _SendTextResponse:
        "Send a transactional SMS"

    @overload
    def call(self, name: Literal["GET /v2/sms/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadTextResponse:
        "Get a transactional SMS"

    @overload
    def call(self, name: Literal["GET /v2/stores"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListStoresResponse:
        "List connected stores"

    @overload
    def call(self, name: Literal["POST /v2/stores"], *, body: Optional[_RegisterStoreBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _RegisterStoreResponse:
        "Add a store connected by its plugin"

    @overload
    def call(self, name: Literal["GET /v2/stores/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadStoreResponse:
        "Get a store"

    @overload
    def call(self, name: Literal["DELETE /v2/stores/{id}"], *, params: _ReadWebhookParams, body: Optional[Union[_DeleteStoreBody, None]] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Disconnect a store"

    @overload
    def call(self, name: Literal["POST /v2/stores/{id}/import_shop_data"], *, params: _ReadWebhookParams, body: Optional[_ImportShopDataBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ImportShopDataResponse:
        "Import customers, products or orders of a store"

    @overload
    def call(self, name: Literal["POST /v2/subscribers"], *, body: Optional[_CreateSubscriberBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateSubscriberResponse:
        "Create or update a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/subscribers"], *, query: Optional[_ListSubscribersQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListOfGroupResponse:
        "List subscribers"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers"], *, body: Optional[_DeleteSubscribersBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteSubscribersResponse:
        "Delete subscribers"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/batch"], *, body: Optional[_SaveSubscribersBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _SaveSubscribersResponse:
        "Create or update up to 1,000 subscribers"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/groups/{group}"], *, params: _ListOfGroupParams, body: Optional[_AddToGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _AddToGroupResponse:
        "Add subscribers to a group"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/groups/{group}"], *, params: _ListOfGroupParams, body: Optional[_AddToGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _AddToGroupResponse:
        "Remove subscribers from a group"

    @overload
    def call(self, name: Literal["POST /v2/subscribers/reactivate"], *, body: Optional[_ReactivateBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReactivateResponse:
        "Restore subscribers to a channel"

    @overload
    def call(self, name: Literal["GET /v2/subscribers/{who}"], *, params: _GetSubscriberParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _GetSubscriberResponse:
        "Get a subscriber"

    @overload
    def call(self, name: Literal["PATCH /v2/subscribers/{who}"], *, params: _GetSubscriberParams, body: Optional[_CreateSubscriberBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _UpdateSubscriberResponse:
        "Update a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/subscribers/{who}/events"], *, params: _GetSubscriberParams, query: Optional[_ListEventsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> Dict[str, Dict[str, List[_ListEventsResponse]]]:
        "List events of a subscriber"

    @overload
    def call(self, name: Literal["PATCH /v2/subscribers/{who}/fields/{field}"], *, params: _SetFieldParams, body: Optional[_SetFieldBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _UpdateSubscriberResponse:
        "Set a field of a subscriber"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/{who}/phone"], *, params: _GetSubscriberParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _UpdateSubscriberResponse:
        "Remove a subscriber's phone number"

    @overload
    def call(self, name: Literal["DELETE /v2/subscribers/{who}/remove_phone"], *, params: _GetSubscriberParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _UpdateSubscriberResponse:
        "Remove a phone number (alias)"

    @overload
    def call(self, name: Literal["GET /v2/suppressions"], *, query: Optional[_ListSuppressionsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListSuppressionsResponse:
        "List suppressed addresses of a channel"

    @overload
    def call(self, name: Literal["POST /v2/suppressions"], *, body: Optional[_AddSuppressionsBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _AddSuppressionsResponse:
        "Add addresses to the suppression list"

    @overload
    def call(self, name: Literal["DELETE /v2/suppressions"], *, body: Optional[_RemoveSuppressionsBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _RemoveSuppressionsResponse:
        "Remove addresses from the suppression list"

    @overload
    def call(self, name: Literal["GET /v2/suppressions/{address}"], *, params: _GetSuppressionParams, query: Optional[_GetSuppressionQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _GetSuppressionResponse:
        "Get the suppression of an address"

    @overload
    def call(self, name: Literal["DELETE /v2/suppressions/{address}"], *, params: _GetSuppressionParams, query: Optional[_GetSuppressionQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Remove an address from the suppression list"

    @overload
    def call(self, name: Literal["GET /v2/tags"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListGroupsResponse:
        "List groups with their counts"

    @overload
    def call(self, name: Literal["POST /v2/tags"], *, body: Optional[_CreateGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateGroupResponse:
        "Create a group"

    @overload
    def call(self, name: Literal["GET /v2/tags/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _GetGroupResponse:
        "Get a group with its counts"

    @overload
    def call(self, name: Literal["PATCH /v2/tags/{id}"], *, params: _ReadWebhookParams, body: Optional[_CreateGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateGroupResponse:
        "Rename a group"

    @overload
    def call(self, name: Literal["DELETE /v2/tags/{id}"], *, params: _ReadWebhookParams, body: Optional[_DeleteGroupBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a group"

    @overload
    def call(self, name: Literal["GET /v2/transactional"], *, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListEmailsResponse:
        "List templates"

    @overload
    def call(self, name: Literal["POST /v2/transactional"], *, body: Optional[_CreateEmailBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateEmailResponse:
        "Create a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateEmailResponse:
        "Get a template"

    @overload
    def call(self, name: Literal["PATCH /v2/transactional/{id}"], *, params: _ReadWebhookParams, body: Optional[_UpdateEmailBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _CreateEmailResponse:
        "Update a template"

    @overload
    def call(self, name: Literal["DELETE /v2/transactional/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Delete a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/bounces"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List bounces of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/clicks"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List clicks of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/complaints"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List spam complaints of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/opens"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List opens of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/report"], *, params: _ReadWebhookParams, query: _ReadReportQuery, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadReportResponse:
        "Get statistics of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/sent"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List recipients of a template"

    @overload
    def call(self, name: Literal["GET /v2/transactional/{id}/unsubscribes"], *, params: _ReadWebhookParams, query: Optional[_ListWebhooksQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListBouncesResponse:
        "List unsubscribes of a template"

    @overload
    def call(self, name: Literal["POST /v2/unsubscribes"], *, body: Optional[_ReactivateBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _UnsubscribeResponse:
        "Remove subscribers from a channel"

    @overload
    def call(self, name: Literal["GET /v2/users"], *, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadMeResponseData:
        "Get the token's user (unwrapped)"

    @overload
    def call(self, name: Literal["GET /v2/workflows"], *, query: Optional[_ListWorkflowsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ListWorkflowsResponse:
        "List workflows with statistics"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _ReadWorkflowResponse:
        "Get a workflow with its report"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}/average_report"], *, params: _ReadWebhookParams, idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _AverageReportResponse:
        "Get statistics of a workflow"

    @overload
    def call(self, name: Literal["POST /v2/workflows/{id}/start"], *, params: _ReadWebhookParams, body: Optional[_StartWorkflowBody] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> _DeleteWebhookResponse:
        "Start a workflow for a subscriber"

    @overload
    def call(self, name: Literal["GET /v2/workflows/{id}/steps"], *, params: _ReadWebhookParams, query: Optional[_ListStepsQuery] = ..., idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...) -> List[_ListStepsResponse]:
        "List steps of a workflow"

