<?php
/**
 * Calls of the Sendloom installation, with the token of the connection.
 *
 * @license https://opensource.org/license/mit MIT License
 */

if (!defined('_PS_VERSION_')) {
    exit;
}

class SendloomClient
{
    const VALUES = array('ADDRESS', 'TOKEN', 'KEY', 'STORE');

    /** A value of the connection; empty without one. */
    public static function get($name)
    {
        return (string) Configuration::get('SENDLOOM_' . $name);
    }

    public static function isConnected()
    {
        return self::get('TOKEN') !== '' && self::get('STORE') !== '';
    }

    /** Why this shop could not be connected; empty if it is. An existing connection remains then. */
    public static function connect($address, $token, $shop)
    {
        $address = rtrim(trim((string) $address), '/');
        $token = trim((string) $token);
        if (!preg_match('#^https?://#', $address) || $token === '') {
            return 'Enter the address and the token.';
        }
        list($status, $user) = self::send('GET', $address . '/v2/users', $token, null);
        if ($status !== 200 || empty($user['account']['resource_key'])) {
            return $status === 401 ? 'The token is not valid.' : 'There is no Sendloom installation at this address.';
        }
        $site = array('domain' => $shop, 'name' => (string) Configuration::get('PS_SHOP_NAME'), 'type' => 'prestashop');
        list($status, $store) = self::send('POST', $address . '/v2/stores', $token, $site);
        if ($status !== 200 || empty($store['data']['id'])) {
            return isset($store['message']) && is_string($store['message']) ? $store['message'] : 'The shop could not be connected.';
        }
        $values = array($address, $token, $user['account']['resource_key'], $store['data']['id']);
        foreach (array_combine(self::VALUES, $values) as $name => $value) {
            Configuration::updateValue('SENDLOOM_' . $name, $value);
        }
        Configuration::updateValue('SENDLOOM_SYNC', 'products:0');
        return '';
    }

    public static function disconnect()
    {
        if (self::isConnected()) {
            self::call('DELETE', '/v2/stores/' . rawurlencode(self::get('STORE')), array());
        }
        foreach (self::VALUES as $name) {
            Configuration::deleteByName('SENDLOOM_' . $name);
        }
    }

    /** Status of a call; 0 if there is no response. */
    public static function call($method, $path, $body)
    {
        list($status) = self::send($method, self::get('ADDRESS') . $path, self::get('TOKEN'), $body);
        return $status;
    }

    /** Sends rows; empty, or why it failed. */
    public static function import($kind, $rows)
    {
        if (!$rows) {
            return '';
        }
        $status = self::call('POST', '/v2/stores/' . rawurlencode(self::get('STORE')) . '/import_shop_data', array($kind => $rows));
        return $status === 200 ? '' : 'Sendloom answered with status ' . $status . '.';
    }

    /** Groups of the account: id => title. */
    public static function groups()
    {
        if (!self::isConnected()) {
            return array();
        }
        list($status, $answer) = self::send('GET', self::get('ADDRESS') . '/v2/groups?limit=100', self::get('TOKEN'), null);
        $groups = array();
        foreach ($status === 200 && isset($answer['data']) ? $answer['data'] : array() as $row) {
            $groups[$row['id']] = (string) $row['title'];
        }
        return $groups;
    }

    /** Status and decoded response. */
    private static function send($method, $url, $token, $body)
    {
        $request = curl_init($url);
        $headers = array('Authorization: Bearer ' . $token, 'Accept: application/json', 'Content-Type: application/json');
        curl_setopt_array($request, array(
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_CONNECTTIMEOUT => 5,
            CURLOPT_TIMEOUT => 10,
        ));
        if ($body !== null) {
            curl_setopt($request, CURLOPT_POSTFIELDS, json_encode((object) $body));
        }
        $text = curl_exec($request);
        $status = (int) curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        $answer = is_string($text) ? json_decode($text, true) : null;
        return array($status, is_array($answer) ? $answer : array());
    }
}
