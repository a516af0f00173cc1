import CTestWidth
import Testing

/// How many tests run at once.
struct TestWidthTests {
    @Test("few tests run at once, so that each has its time on a slow machine") func few() {
        #expect(test_width() > 0)
    }
}
