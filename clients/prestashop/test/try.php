<?php
/**
 * Runs the module with PrestaShop's API shimmed, against an installation: php try.php ADDRESS TOKEN GROUP.
 * Prints what remained as JSON.
 *
 * @license https://opensource.org/license/mit MIT License
 */

namespace PrestaShop\PrestaShop\Core\Module {
    interface WidgetInterface
    {
        public function renderWidget($hookName, array $configuration);
        public function getWidgetVariables($hookName, array $configuration);
    }
}

namespace {
    error_reporting(E_ALL);
    set_error_handler(function ($code, $message, $file, $line) {
        throw new ErrorException($message, 0, $code, $file, $line);
    });
    list(, $address, $token, $group) = $argv;
    const _PS_VERSION_ = '8.1.0';
    const _DB_PREFIX_ = 'ps_';

    class Configuration
    {
        public static $values = array('PS_LANG_DEFAULT' => 1, 'PS_SHOP_NAME' => 'Tea', 'PS_OS_CANCELED' => 6, 'PS_OS_REFUND' => 7, 'PS_OS_ERROR' => 8, 'PS_SSL_ENABLED' => 0);
        public static function get($name) { return isset(self::$values[$name]) ? self::$values[$name] : false; }
        public static function updateValue($name, $value) { self::$values[$name] = $value; return true; }
        public static function deleteByName($name) { unset(self::$values[$name]); return true; }
    }
    /** Knows the statements of the module. */
    class Db
    {
        public static $queue = null;
        public static function getInstance() { return new self(); }
        public function execute($sql)
        {
            if (strpos($sql, 'CREATE TABLE') === 0) { self::$queue = array(); }
            elseif (strpos($sql, 'DROP TABLE') === 0) { self::$queue = null; }
            elseif (preg_match('/^INSERT IGNORE .*\((\d+)\)$/', $sql, $found)) { self::$queue[$found[1]] = true; }
            elseif (preg_match('/^DELETE FROM .* = (\d+)$/', $sql, $found)) { unset(self::$queue[$found[1]]); }
            else { throw new Exception("Unknown statement: $sql"); }
            return true;
        }
        public function executeS($sql)
        {
            if (strpos($sql, 'sendloom_queue') !== false) {
                return array_map(function ($id) { return array('id_order' => $id); }, array_keys(self::$queue));
            }
            if (!preg_match('/^SELECT `(\w+)` FROM `ps_\w+` WHERE `\w+` > (\d+)/', $sql, $found)) { throw new Exception("Unknown statement: $sql"); }
            return (int) $found[2] < 1 ? array(array($found[1] => 1)) : array();
        }
    }
    class Thing
    {
        public $id;
        public function __construct($id = 1) { $this->id = (int) $id; }
    }
    class Validate { public static function isLoadedObject($thing) { return is_object($thing) && $thing->id > 0; } }
    class Tools
    {
        public static $values = array();
        public static function getValue($name) { return isset(self::$values[$name]) ? self::$values[$name] : false; }
        public static function isSubmit($name) { return isset(self::$values[$name]); }
        public static function ps_round($value, $places) { return round($value, $places); }
    }
    class Product extends Thing
    {
        public $name = 'Sencha'; public $description_short = '<p>Green</p>'; public $reference = 'TEA-1'; public $link_rewrite = 'sencha'; public $active = 1; public $date_add = '2026-01-01 10:00:00';
        public static function getCover($id) { return array('id_image' => 5); }
        public static function getPriceStatic($id) { return 15.0; }
    }
    class Customer extends Thing { public $email = 'bo@mail.example'; public $firstname = 'Bo'; public $lastname = 'Lund'; }
    class Address extends Thing { public $phone = ''; public $phone_mobile = ''; public $id_country = 8; }
    class Country { public static function getIsoById($id) { return 'NO'; } }
    class Currency extends Thing
    {
        public $iso_code = 'EUR';
        public static function getDefaultCurrency() { return new self(1); }
    }
    class OrderState extends Thing { public $paid = true; public $shipped = false; public $delivery = false; }
    class OrderSlip { public static function getOrdersSlip($customer, $order) { return array(); } }
    class Order extends Thing
    {
        public $id_cart = 55; public $id_customer = 1; public $id_address_invoice = 1; public $id_currency = 1; public $reference = 'XKBKNABJK'; public $current_state = 2;
        public $total_paid_tax_incl = 30.0; public $total_paid_tax_excl = 24.0; public $total_products = 24.0; public $total_discounts_tax_incl = 0.0; public $total_shipping_tax_incl = 0.0;
        public $date_add; public $date_upd;
        public function __construct($id) { parent::__construct($id); $this->date_add = $this->date_upd = date('Y-m-d H:i:s', time() - 60); }
        public function getProducts() { return array(array('product_id' => 1, 'product_name' => 'Sencha', 'product_reference' => 'TEA-1', 'product_quantity' => 2, 'unit_price_tax_incl' => 15.0)); }
    }
    class Cart extends Thing
    {
        public $id_currency = 1;
        public function orderExists() { return false; }
        public function getOrderTotal($withTaxes) { return 30.0; }
        public function getProducts() { return array(array('id_product' => 1, 'name' => 'Sencha', 'reference' => 'TEA-1', 'cart_quantity' => 2, 'price_wt' => 15.0)); }
    }
    class FormField
    {
        public $set = array();
        public function __call($name, $arguments) { $this->set[$name] = $arguments[0]; return $this; }
    }
    class Shop { public function getBaseURL() { return 'https://shop.example/'; } }
    class Link
    {
        public function getImageLink($name, $id) { return "https://shop.example/$id/$name.jpg"; }
        public function getProductLink($product) { return 'https://shop.example/1-sencha.html'; }
        public function getPageLink() { return 'https://shop.example/cart?action=show'; }
        public function getAdminLink() { return 'https://shop.example/admin'; }
    }
    class Smarty { public $values = array(); public function assign($values) { $this->values = $values; } }
    class Context
    {
        public $shop; public $link; public $cart; public $customer; public $smarty;
        private static $only;
        public static function getContext()
        {
            if (!self::$only) {
                self::$only = new self();
                self::$only->shop = new Shop(); self::$only->link = new Link(); self::$only->smarty = new Smarty();
                self::$only->cart = new Cart(55); self::$only->customer = new Customer(0);
            }
            return self::$only;
        }
    }
    class Module
    {
        public $name; public $tab; public $version; public $author; public $need_instance; public $bootstrap; public $ps_versions_compliancy; public $displayName; public $description; public $confirmUninstall; public $context;
        public function __construct() { $this->context = Context::getContext(); }
        public function install() { return true; }
        public function uninstall() { return true; }
        public function registerHook($hooks) { return is_array($hooks); }
        public function l($text) { return $text; }
        public function displayConfirmation($text) { return $text; }
        public function displayError($text) { throw new Exception($text); }
        public function display($file, $template) { return is_readable(dirname($file) . '/' . $template) ? $template : ''; }
    }

    require __DIR__ . '/../sendloom.php';

    function must($is, $what)
    {
        if (!$is) { throw new Exception($what); }
    }
    $_COOKIE['sender_subscriber_id'] = 'visitor-1234567890';
    $module = new Sendloom();
    must($module->install(), 'install');
    must($module->hookDisplayHeader() === '', 'nothing without a connection');
    Tools::$values = array('submitSendloomConnect' => 1, 'address' => $address . '/', 'token' => $token);
    $module->getContent();
    must(SendloomClient::isConnected(), 'connected');
    must(strpos($module->hookDisplayHeader(), '<script async') === 0, 'script');
    must(strpos($module->renderWidget('', array('form' => 'abc')), 'data-sender-form-id="abc"') !== false, 'widget');
    must(strpos($module->renderWidget('', array('form' => '"><script>')), 'onerror') === false && $module->renderWidget('', array('form' => '"><b>')) === '', 'no foreign markup');
    Tools::$values = array('submitSendloomSave' => 1, 'SENDLOOM_POPUPS' => 1, 'SENDLOOM_TRACKING' => 1, 'SENDLOOM_CHECKOUT' => 1, 'groups' => array($group, 'unknown'));
    $module->getContent();
    must(Configuration::get('SENDLOOM_GROUPS') === json_encode(array($group)), 'groups');
    must(count($module->hookAdditionalCustomerFormFields()) === 1, 'box');
    Tools::$values = array('sendloom_consent' => '1');
    $module->hookActionCustomerAccountAdd(array('newCustomer' => new Customer(1)));
    $module->hookActionCartSave();
    $module->hookActionValidateOrder(array('order' => new Order(1)));
    // What is sent after the response, and then the end.
    register_shutdown_function(function () use ($module) {
        register_shutdown_function(function () use ($module) {
            $report = array('isConnected' => SendloomClient::isConnected(), 'waiting' => count(Db::$queue), 'sync' => Configuration::get('SENDLOOM_SYNC'));
            must($module->uninstall() && Db::$queue === null, 'uninstall');
            $left = array_filter(array_keys(Configuration::$values), function ($name) { return strpos($name, 'SENDLOOM') === 0; });
            echo json_encode($report + array('settings' => array_values($left)));
        });
    });
}
