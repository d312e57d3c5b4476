<?php
/** Calls of the Sendloom installation, with the token of the connection. */

defined( 'ABSPATH' ) || exit;

/** The connection, and its calls. */
class Sendloom_Client {

	const OPTION = 'sendloom_connection';

	/** A value of the connection: address, token, key or store; empty without one. */
	public static function get( $name ) {
		$connection = get_option( self::OPTION );
		return is_array( $connection ) && isset( $connection[ $name ] ) ? (string) $connection[ $name ] : '';
	}

	/** Whether this site has a connection. */
	public static function is_connected() {
		return '' !== self::get( 'token' ) && '' !== self::get( 'store' );
	}

	/** Connects this site; an existing connection remains if the new one fails. */
	public static function connect( $address, $token ) {
		$address = untrailingslashit( esc_url_raw( trim( $address ) ) );
		$token   = trim( $token );
		if ( '' === $address || '' === $token ) {
			return new WP_Error( 'sendloom_missing', __( 'Enter the address and the token.', 'sendloom' ) );
		}
		$user = self::request( 'GET', '/v2/users', null, $address, $token );
		if ( is_wp_error( $user ) ) {
			return $user;
		}
		$site  = array( 'domain' => home_url(), 'name' => html_entity_decode( get_bloginfo( 'name' ), ENT_QUOTES ), 'type' => 'wordpress' );
		$store = self::request( 'POST', '/v2/stores', $site, $address, $token );
		if ( is_wp_error( $store ) ) {
			return $store;
		}
		if ( empty( $user['account']['resource_key'] ) || empty( $store['data']['id'] ) ) {
			return new WP_Error( 'sendloom_answer', __( 'This address is not a Sendloom installation.', 'sendloom' ) );
		}
		update_option(
			self::OPTION,
			array(
				'address' => $address,
				'token'   => $token,
				'key'     => (string) $user['account']['resource_key'],
				'store'   => (string) $store['data']['id'],
			),
			false
		);
		self::forget_lists();
		if ( class_exists( 'WooCommerce' ) && class_exists( 'Sendloom_Sync' ) ) {
			Sendloom_Sync::begin();
		}
		return true;
	}

	/** Disconnects this site; data of its store remains in the installation. */
	public static function disconnect() {
		if ( self::is_connected() ) {
			self::request( 'DELETE', '/v2/stores/' . rawurlencode( self::get( 'store' ) ) );
		}
		delete_option( self::OPTION );
		self::forget_lists();
	}

	/** Makes one call. Returns the response data, or the reason there is none. */
	public static function request( $method, $path, $body = null, $address = null, $token = null ) {
		$headers = array(
			'Authorization' => 'Bearer ' . ( null === $token ? self::get( 'token' ) : $token ),
			'Accept'        => 'application/json',
		);
		$options = array( 'method' => $method, 'timeout' => 10, 'headers' => $headers );
		if ( null !== $body ) {
			$options['headers']['Content-Type'] = 'application/json';
			$options['body']                    = wp_json_encode( $body );
		}
		$response = wp_remote_request( ( null === $address ? self::get( 'address' ) : $address ) . $path, $options );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		$data   = json_decode( wp_remote_retrieve_body( $response ), true );
		if ( $status >= 300 || ! is_array( $data ) ) {
			$message = is_array( $data ) && isset( $data['message'] ) && is_string( $data['message'] )
				? $data['message']
				/* translators: %d: HTTP status. */
				: sprintf( __( 'Sendloom answered with status %d.', 'sendloom' ), $status );
			return new WP_Error( 'sendloom_' . $status, $message, array( 'status' => $status ) );
		}
		return $data;
	}

	/** Groups or forms of the account, cached for five minutes: id (of forms, their hash) => title. */
	public static function titles( $kind ) {
		$cached = get_transient( 'sendloom_' . $kind );
		if ( is_array( $cached ) ) {
			return $cached;
		}
		$answer = self::is_connected() ? self::request( 'GET', '/v2/' . $kind . '?limit=100' ) : array();
		$titles = array();
		foreach ( is_wp_error( $answer ) || empty( $answer['data'] ) ? array() : $answer['data'] as $row ) {
			$id            = isset( $row['settings']['embed_hash'] ) ? $row['settings']['embed_hash'] : $row['id'];
			$titles[ $id ] = (string) $row['title'];
		}
		set_transient( 'sendloom_' . $kind, $titles, 5 * MINUTE_IN_SECONDS );
		return $titles;
	}

	/** Forgets cached groups and forms. */
	public static function forget_lists() {
		delete_transient( 'sendloom_groups' );
		delete_transient( 'sendloom_forms' );
	}
}
