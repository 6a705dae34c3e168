import KeyrackCore

extension Event.Kind {
  /// Of the journal's catalog, 128 bits in hexadecimal. Never changes: people look for it.
  var messageID: String {
    switch self {
    case .tokenGranted: "f8bf6e3f1074424cb6bb3dcb4ea0d0ac"
    case .denied: "58e8158fd057425d8219225bc8e72a46"
    case .confirmed: "51516770b6b048d68a8f85bf9d0cdb5c"
    case .signedIn: "7ee2b4dd48df45489be8def7fcb5cc50"
    case .signInFailed: "f7b554bafb1344cb8059b21f29b0693c"
    case .subjectMismatch: "b7452854b9bf4bd1a81f9c7c390dd494"
    case .loggedOut: "ff6320fa9d40436ba34617b90ff860ca"
    case .purged: "8b7eb44de00a473a84ff2298a265dcb5"
    case .revoked: "c8d91ebfa5eb4e08b89fbd4e7cf5f375"
    case .revocationFailed: "7d3b292b7f354e059edaaf70c12fe75f"
    case .refreshed: "8d290d1c988a43d59046c8083d6a89da"
    case .refreshFailed: "3f30173b90424f4d95414ac2abc7dffa"
    case .reuseDetected: "d4d702445d35465cab91596dadddee02"
    case .loginRequired: "e47066d2699d403b948bc4fea940542e"
    case .sessionAdopted: "105905a13e064317927d9778e9c3ae98"
    case .keyringFailed: "9fdeffb40bcb4b738f78d0a2b9df3a3e"
    case .keyringRecovered: "73d691432a974f78a003592644dfdf1c"
    case .stateFailed: "7c7f168b10344b709b2dd4a80e72c143"
    case .configuration: "989e187f578f4b1ebe76889e417fe1f4"
    case .configurationRefused: "28ea19bd7cf0417a8606de075ae22e89"
    case .clientSecretChanged: "b0ea7fe5130c4778a21975c044b52c19"
    case .noticeFailed: "2bf3e60f280a4f8cbbb6a91ac86104e6"
    case .started: "fae9284d1e9e458aa2ef094a1dc822fb"
    case .stopping: "86da874b8a01401aa119909abbc98777"
    case .logOverflow: "ad76a0b00e814e5a852e2a8a34cfb40e"
    }
  }
}
