import KeyrackProtocol
import Testing

@Suite struct PersonTests {
  @Test(arguments: [
    (
      #"{"name":{"firstName":"Alice","lastName":"Liddell"},"email":"a@b.test"}"#,
      Person(name: "Alice Liddell", email: "a@b.test")
    ),
    (#"{"email":"a@b.test"}"#, Person(name: nil, email: "a@b.test")),
    (#"{"name":{"firstName":"","lastName":"Liddell"}}"#, Person(name: "Liddell", email: nil)),
    ("{}", nil), ("", nil), ("[]", nil), (#"{"name":"Alice"}"#, nil), (#"{"email":1}"#, nil),
  ])
  func whatApplePosts(text: String, person: Person?) {
    #expect(Person(postedByApple: Array(text.utf8)) == person)
  }

  @Test func tooMuchIsNobody() {
    let name = String(repeating: "x", count: 5000)
    #expect(Person(postedByApple: Array(#"{"email":"\#(name)"}"#.utf8)) == nil)
  }
}
