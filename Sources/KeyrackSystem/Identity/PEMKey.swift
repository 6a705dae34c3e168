import CJOSE
import KeyrackProtocol

/// A private key out of a PEM text, in OpenSSL's hands: cjose reads only numbers.
@safe final class PEMKey {
  @unsafe private let handle: OpaquePointer

  init(_ text: Secret) throws(SigningKeyError) {
    // The decoder decides by the queue of errors of this thread, too: what others have left there is none of its own.
    ERR_clear_error()
    defer { ERR_clear_error() }
    let handle = unsafe Self.read(text)
    guard let handle = unsafe handle else { throw Self.failure(text) }
    unsafe self.handle = handle
  }

  deinit { unsafe EVP_PKEY_free(handle) }

  private static func read(_ text: Secret) -> OpaquePointer? {
    unsafe text.withUnsafeBytes { bytes in
      guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { unsafe _ = BIO_free(bio) }
      return unsafe PEM_read_bio_PrivateKey(bio, nil, keyrack_no_password, nil)
    }
  }

  /// What the text is instead. Its labels are no secret.
  private static func failure(_ text: Secret) -> SigningKeyError {
    let text = String(decoding: text.bytes.prefix(64 << 10), as: UTF8.self)
    // PKCS#8, and what OpenSSL wrote before it.
    if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
      return SigningKeyError("it is encrypted; decrypt it by \"openssl pkey -in FILE\"")
    }
    if text.contains("BEGIN PUBLIC KEY") || text.contains("BEGIN CERTIFICATE") {
      return SigningKeyError("it has no private part")
    }
    return SigningKeyError("it is neither PEM nor a JWK")
  }

  /// The same key in cjose's hands.
  func imported() throws(SigningKeyError) -> CJOSEKey {
    let key =
      switch unsafe EVP_PKEY_get_base_id(handle) {
      case NID_X9_62_id_ecPublicKey: try ellipticCurveKey()
      case NID_rsaEncryption: rsaKey()
      default: throw SigningKeyError("it is neither an EC nor an RSA key")
      }
    guard let key else { throw SigningKeyError("OpenSSL does not give its numbers") }
    return key
  }

  private func ellipticCurveKey() throws(SigningKeyError) -> CJOSEKey? {
    var name = [CChar](repeating: 0, count: 64)
    unsafe EVP_PKEY_get_utf8_string_param(handle, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, nil)
    let curve = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard curve == SN_X9_62_prime256v1 else { throw .wrongCurve }
    guard let d = number(OSSL_PKEY_PARAM_PRIV_KEY, count: 32), let x = number(OSSL_PKEY_PARAM_EC_PUB_X, count: 32),
      let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, count: 32)
    else { return nil }
    var spec = unsafe cjose_jwk_ec_keyspec()
    unsafe spec.crv = CJOSE_JWK_EC_P_256
    unsafe (spec.d, spec.dlen) = d.spec
    unsafe (spec.x, spec.xlen) = x.spec
    unsafe (spec.y, spec.ylen) = y.spec
    // cjose copies what is there.
    return withExtendedLifetime((d, x, y)) { unsafe CJOSEKey(cjose_jwk_create_EC_spec(&spec, nil)) }
  }

  private func rsaKey() -> CJOSEKey? {
    let (factor, exponent) = (OSSL_PKEY_PARAM_RSA_FACTOR, OSSL_PKEY_PARAM_RSA_EXPONENT)
    let names = [
      OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, factor + "1", factor + "2", exponent + "1",
      exponent + "2", OSSL_PKEY_PARAM_RSA_COEFFICIENT + "1",
    ]
    let numbers = names.compactMap { number($0) }
    guard numbers.count == names.count else { return nil }
    var spec = unsafe cjose_jwk_rsa_keyspec()
    unsafe (spec.n, spec.nlen) = numbers[0].spec
    unsafe (spec.e, spec.elen) = numbers[1].spec
    unsafe (spec.d, spec.dlen) = numbers[2].spec
    unsafe (spec.p, spec.plen) = numbers[3].spec
    unsafe (spec.q, spec.qlen) = numbers[4].spec
    unsafe (spec.dp, spec.dplen) = numbers[5].spec
    unsafe (spec.dq, spec.dqlen) = numbers[6].spec
    unsafe (spec.qi, spec.qilen) = numbers[7].spec
    return withExtendedLifetime(numbers) { unsafe CJOSEKey(cjose_jwk_create_RSA_spec(&spec, nil)) }
  }

  /// Big-endian, with zeros in front up to `count`.
  private func number(_ name: String, count: Int? = nil) -> Secret? {
    var value: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(handle, name, &value) == 1, let value = unsafe value else { return nil }
    defer { unsafe BN_clear_free(value) }
    let count = count ?? (Int(unsafe BN_num_bits(value)) + 7) / 8
    return unsafe Secret(count: count) { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe _ = BN_bn2binpad(value, start, Int32(buffer.count))
    }
  }
}

extension Secret {
  /// As cjose takes a number.
  @unsafe fileprivate var spec: (UnsafeMutablePointer<UInt8>?, Int) {
    unsafe (address?.assumingMemoryBound(to: UInt8.self), count)
  }
}
