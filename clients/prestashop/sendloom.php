<?php
/**
 * Sendloom for PrestaShop: sign-up forms, and visitors, carts, orders and customers for a Sendloom
 * installation.
 *
 * Copyright (c) 2026 Sendloom
 *
 * Permission to use this module is granted under the MIT License; see the file LICENSE.
 *
 * @license https://opensource.org/license/mit MIT License
 */

if (!defined('_PS_VERSION_')) {
    exit;
}

require_once __DIR__ . '/classes/SendloomClient.php';
require_once __DIR__ . '/classes/SendloomRows.php';

class Sendloom extends Module implements PrestaShop\PrestaShop\Core\Module\WidgetInterface
{
    const HOOKS = array(
        'displayHeader',
        'actionCartSave',
        'actionValidateOrder',
        'actionOrderStatusPostUpdate',
        'actionOrderSlipAdd',
        'actionProductSave',
        'actionProductDelete',
        'actionCustomerAccountAdd',
        'actionCustomerAccountUpdate',
        'additionalCustomerFormFields',
    );
    const SETTINGS = array('SENDLOOM_POPUPS', 'SENDLOOM_TRACKING', 'SENDLOOM_CHECKOUT', 'SENDLOOM_LABEL', 'SENDLOOM_GROUPS', 'SENDLOOM_SYNC');
    /** The cookie that the script of the installation reads and writes. */
    const COOKIE = 'sender_subscriber_id';
    const PER_PAGE = 50;

    private static $isCartDue = false;

    public function __construct()
    {
        $this->name = 'sendloom';
        $this->tab = 'emailing';
        $this->version = '1.0.0';
        $this->author = 'Sendloom';
        $this->need_instance = 0;
        $this->bootstrap = true;
        $this->ps_versions_compliancy = array('min' => '1.7.6', 'max' => _PS_VERSION_);
        parent::__construct();
        $this->displayName = 'Sendloom';
        $this->description = $this->l('Sign-up forms, and visitors, carts, orders and customers for your Sendloom installation.');
        $this->confirmUninstall = $this->l('The shop will be disconnected. Continue?');
    }

    public function install()
    {
        if (!parent::install() || !$this->registerHook(self::HOOKS)) {
            return false;
        }
        $made = Db::getInstance()->execute(
            'CREATE TABLE IF NOT EXISTS `' . _DB_PREFIX_ . 'sendloom_queue` (`id_order` INT UNSIGNED NOT NULL PRIMARY KEY)'
        );
        Configuration::updateValue('SENDLOOM_POPUPS', 1);
        Configuration::updateValue('SENDLOOM_TRACKING', 1);
        $this->adoptConnection();
        return (bool) $made;
    }

    /** Leaves nothing: settings, connection and table are removed, and the shop is disconnected. */
    public function uninstall()
    {
        SendloomClient::disconnect();
        foreach (self::SETTINGS as $name) {
            Configuration::deleteByName($name);
        }
        Db::getInstance()->execute('DROP TABLE IF EXISTS `' . _DB_PREFIX_ . 'sendloom_queue`');
        return parent::uninstall();
    }

    /** Reads the address and token from the downloaded file and deletes the file. */
    private function adoptConnection()
    {
        $file = __DIR__ . '/connection.php';
        if (!is_readable($file)) {
            return;
        }
        $given = include $file;
        @unlink($file);
        if (is_array($given) && isset($given['address'], $given['token'])) {
            SendloomClient::connect($given['address'], $given['token'], $this->address());
        }
    }

    /** The shop's address, which is also the name of its store. */
    private function address()
    {
        return $this->context->shop->getBaseURL(true);
    }

    // Settings.

    public function getContent()
    {
        $this->adoptConnection();
        $notice = '';
        if (Tools::isSubmit('submitSendloomConnect')) {
            $error = SendloomClient::connect(Tools::getValue('address'), Tools::getValue('token'), $this->address());
            $notice = $error === '' ? $this->displayConfirmation($this->l('Connected.')) : $this->displayError($error);
        } elseif (Tools::isSubmit('submitSendloomDisconnect')) {
            SendloomClient::disconnect();
        } elseif (Tools::isSubmit('submitSendloomSync')) {
            Configuration::updateValue('SENDLOOM_SYNC', 'products:0');
        } elseif (Tools::isSubmit('submitSendloomSave')) {
            foreach (array('SENDLOOM_POPUPS', 'SENDLOOM_TRACKING', 'SENDLOOM_CHECKOUT') as $name) {
                Configuration::updateValue($name, Tools::getValue($name) ? 1 : 0);
            }
            Configuration::updateValue('SENDLOOM_LABEL', (string) Tools::getValue('SENDLOOM_LABEL'));
            $groups = array_intersect(array_map('strval', (array) Tools::getValue('groups')), array_map('strval', array_keys(SendloomClient::groups())));
            Configuration::updateValue('SENDLOOM_GROUPS', json_encode(array_values($groups)));
            $notice = $this->displayConfirmation($this->l('Settings saved.'));
        }
        $isSyncing = $this->syncPages(20);
        $this->context->smarty->assign(array(
            'sendloom_is_connected' => SendloomClient::isConnected(),
            'sendloom_address' => SendloomClient::get('ADDRESS'),
            'sendloom_action' => $this->context->link->getAdminLink('AdminModules', true, array(), array('configure' => $this->name)),
            'sendloom_groups' => SendloomClient::groups(),
            'sendloom_chosen' => $this->chosenGroups(),
            'sendloom_label' => $this->label(),
            'sendloom_is_syncing' => $isSyncing,
            'sendloom_popups' => (bool) Configuration::get('SENDLOOM_POPUPS'),
            'sendloom_tracking' => (bool) Configuration::get('SENDLOOM_TRACKING'),
            'sendloom_checkout' => (bool) Configuration::get('SENDLOOM_CHECKOUT'),
        ));
        return $notice . $this->display(__FILE__, 'views/templates/admin/settings.tpl');
    }

    private function label()
    {
        $label = (string) Configuration::get('SENDLOOM_LABEL');
        return $label === '' ? $this->l('Send me news and offers by email') : $label;
    }

    private function chosenGroups()
    {
        $groups = json_decode((string) Configuration::get('SENDLOOM_GROUPS'), true);
        return is_array($groups) ? $groups : array();
    }

    // All data, page by page. The settings page loads itself again until nothing is left.

    /** Whether pages remain after this many seconds. */
    public function syncPages($seconds)
    {
        $end = time() + $seconds;
        while (SendloomClient::isConnected() && time() < $end) {
            $place = explode(':', (string) Configuration::get('SENDLOOM_SYNC'));
            if (count($place) !== 2) {
                return false;
            }
            list($kind, $after) = $place;
            $found = SendloomRows::page($kind, (int) $after, self::PER_PAGE);
            if ($found && SendloomClient::import($kind, array_values(array_filter($found))) !== '') {
                // The next view of the page continues here.
                return false;
            }
            $kinds = array_keys(SendloomRows::TABLES);
            $next = array_search($kind, $kinds, true) + 1;
            $following = isset($kinds[$next]) ? $kinds[$next] . ':0' : '';
            Configuration::updateValue('SENDLOOM_SYNC', count($found) === self::PER_PAGE ? $kind . ':' . max(array_keys($found)) : $following);
        }
        return strpos((string) Configuration::get('SENDLOOM_SYNC'), ':') !== false;
    }

    // Pages of the shop.

    public function hookDisplayHeader()
    {
        if (!SendloomClient::isConnected()) {
            return '';
        }
        if (Configuration::get('SENDLOOM_TRACKING')) {
            $this->seeVisitor();
        }
        return Configuration::get('SENDLOOM_POPUPS') ? $this->script() : '';
    }

    private function script()
    {
        $script = SendloomClient::get('ADDRESS') . '/f/' . rawurlencode(SendloomClient::get('KEY')) . '.js';
        return '<script async data-cfasync="false" src="' . htmlspecialchars($script, ENT_QUOTES) . '"></script>';
    }

    /** A form in a template: {widget name='sendloom' form='…'}. */
    public function renderWidget($hookName, array $configuration)
    {
        $form = $this->getWidgetVariables($hookName, $configuration)['form'];
        if ($form === '' || !SendloomClient::isConnected()) {
            return '';
        }
        return $this->script() . '<div class="sender-form-field" data-sender-form-id="' . $form . '"></div>';
    }

    public function getWidgetVariables($hookName, array $configuration)
    {
        $form = isset($configuration['form']) ? (string) $configuration['form'] : '';
        return array('form' => preg_match('/^[\w-]{1,100}$/', $form) ? $form : '');
    }

    private function visitor()
    {
        $key = isset($_COOKIE[self::COOKIE]) ? (string) $_COOKIE[self::COOKIE] : '';
        return preg_match('/^[\w-]{16,64}$/', $key) ? $key : '';
    }

    /** Sets the browser's key and reports the viewed product after the response. */
    private function seeVisitor()
    {
        if ($this->visitor() === '' && !headers_sent()) {
            $key = bin2hex(random_bytes(16));
            setcookie(self::COOKIE, $key, array('expires' => time() + 31536000, 'path' => '/', 'secure' => (bool) Configuration::get('PS_SSL_ENABLED'), 'samesite' => 'Lax'));
            $_COOKIE[self::COOKIE] = $key;
        }
        $product = (int) Tools::getValue('id_product');
        if (Tools::getValue('controller') === 'product' && $product > 0) {
            $view = $this->person() + array('product' => array('product_id' => (string) $product));
            $this->afterResponse(function () use ($view) {
                SendloomClient::call('POST', '/commerce/visitors', $view);
            });
        }
    }

    /** The visitor of this browser. */
    private function person()
    {
        $values = array('store_id' => SendloomClient::get('STORE'));
        if ($this->visitor() !== '') {
            $values['visitor'] = $this->visitor();
        }
        $customer = $this->context->customer;
        return Validate::isLoadedObject($customer) ? $values + SendloomRows::person($customer) : $values;
    }

    private function afterResponse($send)
    {
        register_shutdown_function(function () use ($send) {
            if (function_exists('fastcgi_finish_request')) {
                fastcgi_finish_request();
            }
            $send();
        });
    }

    public function hookActionCartSave()
    {
        $cart = $this->context->cart;
        if (self::$isCartDue || !Validate::isLoadedObject($cart) || !Configuration::get('SENDLOOM_TRACKING') || !SendloomClient::isConnected()) {
            return;
        }
        self::$isCartDue = true;
        $person = $this->person();
        $url = $this->context->link->getPageLink('cart', true, null, array('action' => 'show'));
        $this->afterResponse(function () use ($cart, $person, $url) {
            if ($cart->orderExists()) {
                return;
            }
            $row = SendloomRows::cart($cart, $url);
            $isEmpty = count($row['products']) === 0;
            SendloomClient::call($isEmpty ? 'DELETE' : 'POST', '/commerce/carts' . ($isEmpty ? '/' . (int) $cart->id : ''), $person + ($isEmpty ? array() : $row));
        });
    }

    // Orders. One that could not be sent waits for the next event of the shop.

    public function hookActionValidateOrder($params)
    {
        $this->noteOrder((int) $params['order']->id);
    }

    public function hookActionOrderStatusPostUpdate($params)
    {
        $this->noteOrder((int) $params['id_order']);
    }

    public function hookActionOrderSlipAdd($params)
    {
        $this->noteOrder((int) $params['order']->id);
    }

    private function noteOrder($id)
    {
        Db::getInstance()->execute('INSERT IGNORE INTO `' . _DB_PREFIX_ . 'sendloom_queue` (`id_order`) VALUES (' . (int) $id . ')');
        $this->afterResponse(array($this, 'sendOrders'));
    }

    public function sendOrders()
    {
        $rows = SendloomClient::isConnected()
            ? Db::getInstance()->executeS('SELECT `id_order` FROM `' . _DB_PREFIX_ . 'sendloom_queue` ORDER BY `id_order` DESC LIMIT 20')
            : array();
        foreach ($rows as $row) {
            $order = new Order((int) $row['id_order']);
            $isSent = true;
            if (Validate::isLoadedObject($order)) {
                $status = SendloomClient::call('POST', '/commerce/carts/' . (int) $order->id_cart . '/convert', array('store_id' => SendloomClient::get('STORE')) + SendloomRows::order($order));
                $isSent = $status > 0 && $status < 500 && $status !== 429;
            }
            if (!$isSent) {
                return;
            }
            Db::getInstance()->execute('DELETE FROM `' . _DB_PREFIX_ . 'sendloom_queue` WHERE `id_order` = ' . (int) $row['id_order']);
        }
    }

    // Products and customers.

    public function hookActionProductSave($params)
    {
        $id = (int) $params['id_product'];
        $this->sendProduct(SendloomRows::product(new Product($id, false, (int) Configuration::get('PS_LANG_DEFAULT'))));
    }

    /** The product may have been deleted since. */
    public function hookActionProductDelete($params)
    {
        $name = isset($params['product']) ? $params['product']->name : '';
        $title = is_array($name) ? (string) reset($name) : (string) $name;
        $id = (string) (int) $params['id_product'];
        $this->sendProduct(array('remote_productId' => $id, 'title' => $title === '' ? '#' . $id : $title, 'status' => 'trash'));
    }

    private function sendProduct($row)
    {
        if ($row && SendloomClient::isConnected()) {
            $this->afterResponse(function () use ($row) {
                SendloomClient::import('products', array($row));
            });
        }
    }

    public function hookActionCustomerAccountAdd($params)
    {
        $this->sendCustomer($params['newCustomer']);
    }

    public function hookActionCustomerAccountUpdate($params)
    {
        $this->sendCustomer($params['customer']);
    }

    /** A checked box is consent; an unchecked box is not a refusal. */
    private function sendCustomer($customer)
    {
        if (!SendloomClient::isConnected()) {
            return;
        }
        $row = $this->person() + SendloomRows::person($customer);
        if (Configuration::get('SENDLOOM_CHECKOUT') && Tools::getValue('sendloom_consent')) {
            $row['email_marketing_consent'] = array('state' => 'subscribed', 'consent_updated_at' => gmdate('c'));
            $row['tags'] = $this->chosenGroups();
        }
        $this->afterResponse(function () use ($row) {
            SendloomClient::call('POST', '/commerce/create_subscriber', $row);
        });
    }

    /** The box in the forms of registration and checkout, never ticked in advance. */
    public function hookAdditionalCustomerFormFields()
    {
        if (!Configuration::get('SENDLOOM_CHECKOUT') || !SendloomClient::isConnected()) {
            return array();
        }
        $field = new FormField();
        return array($field->setName('sendloom_consent')->setType('checkbox')->setLabel($this->label()));
    }
}
