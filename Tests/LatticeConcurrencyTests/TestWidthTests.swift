import CTestWidth
import Testing

/// Tests the limit of tests that run at once.
struct TestWidthTests {
    @Test("The number of tests that run at once is limited, so that slow machines keep the time limits") func few() {
        #expect(test_width() > 0)
    }
}
