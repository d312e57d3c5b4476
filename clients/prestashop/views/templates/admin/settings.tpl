{**
 * The settings of the module.
 *
 * @license https://opensource.org/license/mit MIT License
 *}
<div class="panel">
  <h3>Sendloom</h3>
  {if !$sendloom_is_connected}
    <form method="post" action="{$sendloom_action|escape:'html':'UTF-8'}">
      <p><label>{l s='Address' mod='sendloom'} <input type="url" name="address" required></label></p>
      <p><label>{l s='API token' mod='sendloom'} <input type="password" name="token" required autocomplete="off"></label></p>
      <button class="btn btn-primary" name="submitSendloomConnect" value="1">{l s='Connect' mod='sendloom'}</button>
    </form>
  {else}
    <p>{l s='Connected to %s' sprintf=[$sendloom_address] mod='sendloom'}</p>
    {if $sendloom_is_syncing}
      <meta http-equiv="refresh" content="1;url={$sendloom_action|escape:'html':'UTF-8'}">
      <p class="alert alert-info">{l s='Products, customers and orders are being sent. This page loads again until all are sent.' mod='sendloom'}</p>
    {/if}
    <form method="post" action="{$sendloom_action|escape:'html':'UTF-8'}">
      <p><label><input type="checkbox" name="SENDLOOM_POPUPS" value="1"{if $sendloom_popups} checked{/if}> {l s='Show forms and popups on all pages' mod='sendloom'}</label></p>
      <p><label><input type="checkbox" name="SENDLOOM_TRACKING" value="1"{if $sendloom_tracking} checked{/if}> {l s='Track viewed products and carts' mod='sendloom'}</label></p>
      <p><label><input type="checkbox" name="SENDLOOM_CHECKOUT" value="1"{if $sendloom_checkout} checked{/if}> {l s='Ask for consent at registration and checkout' mod='sendloom'}</label></p>
      <p><label>{l s='Text of the box' mod='sendloom'} <input type="text" name="SENDLOOM_LABEL" maxlength="300" value="{$sendloom_label|escape:'html':'UTF-8'}"></label></p>
      <fieldset>
        <legend>{l s='Groups of those who agree' mod='sendloom'}</legend>
        {foreach from=$sendloom_groups key=id item=title}
          <p><label><input type="checkbox" name="groups[]" value="{$id|escape:'html':'UTF-8'}"{if in_array($id, $sendloom_chosen)} checked{/if}> {$title|escape:'html':'UTF-8'}</label></p>
        {/foreach}
      </fieldset>
      <button class="btn btn-primary" name="submitSendloomSave" value="1">{l s='Save settings' mod='sendloom'}</button>
      <button class="btn btn-default" name="submitSendloomSync" value="1">{l s='Send everything again' mod='sendloom'}</button>
      <button class="btn btn-default" name="submitSendloomDisconnect" value="1">{l s='Disconnect' mod='sendloom'}</button>
    </form>
  {/if}
</div>
